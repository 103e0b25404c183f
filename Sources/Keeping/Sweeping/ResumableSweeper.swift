import API
import Files
package import Logging
import Model
import Store
import Tree
package import Uploads

/// Cleans up uploads in several requests, once a minute: finishes complete files, ends idle ones, and deletes unclaimed
/// bytes.
package struct ResumableSweeper: Sendable {
    private static let page = 100

    let files: ResumableFiles
    let uploads: ResumableUploads
    let settings: SharedSettings
    let logger: Logger

    package init(files: ResumableFiles, uploads: ResumableUploads, settings: SharedSettings, logger: Logger) {
        self.files = files
        self.uploads = uploads
        self.settings = settings
        self.logger = logger
    }

    func sweep() async throws {
        await finishComplete()
        try await expireIdle()
        try await removeUnclaimed()
    }

    /// Continues uploads that have all their bytes but were not finished, because the receiver was stopped or met a
    /// fault. A fault is logged, and the work is tried again the next time.
    package func finishComplete() async {
        do {
            for file in try await all(where: { $0.purpose == .upload && $0.isComplete && !files.isInUse($0.id) }) {
                await finish(file)
            }
        } catch {
            logger.warning("cannot read the unfinished uploads", metadata: ["fault": "\(error)"])
        }
    }

    private func finish(_ file: ResumableFile) async {
        do {
            _ = try await files.withFile(file.id, isBrief: true) { [uploads] session in
                try await uploads.accept(session)
            }
        } catch let error as Failure where error.code == .bytesLost {
            try? await uploads.fail(file.id, with: error)
        } catch {
            logger.info("an upload was not finished", metadata: ["upload": "\(file.id)", "fault": "\(error)"])
        }
    }

    /// Ends files that have been idle for longer than a draft may be. Uploads expire with their records.
    private func expireIdle() async throws {
        let deadline = files.now - settings.value.draftLifetime
        for file in try await all(where: { $0.purpose != .upload && $0.updatedAt < deadline && !files.isInUse($0.id) })
        {
            try await files.remove(file.id)
            logger.info("expired", metadata: ["file": "\(file.id)", "purpose": "\(file.purpose.rawValue)"])
        }
    }

    /// Deletes files without a record. A record is removed before its file is deleted, and a crash may come in between;
    /// a file is created only after its record.
    private func removeUnclaimed() async throws {
        let incoming = files.incoming
        let names = try await FileThreads.run { () throws(FileError) in
            try incoming.names().filter { $0.hasSuffix(ResumableFile.fileSuffix) }
        }
        for name in names {
            guard let id = PostID(String(name.dropLast(ResumableFile.fileSuffix.count))), !files.isInUse(id),
                try await files.record(of: id) == nil
            else { continue }
            try await files.removeBytes(of: id)
        }
    }

    private func all(where isWanted: (ResumableFile) -> Bool) async throws -> [ResumableFile] {
        var found: [ResumableFile] = []
        var range = KeyRange.all
        while true {
            let page = try await files.tree.children(of: UploadNodes.resumableFile(), range: range, limit: Self.page)
            for child in page {
                guard let id = PostID(child.key.description),
                    let file = ResumableFile(child.value, at: id.key), isWanted(file)
                else { continue }
                found.append(file)
            }
            guard page.count == Self.page, let last = page.last else { return found }
            range = .after(last.key)
        }
    }
}
