import API
import Files
package import Logging
package import Model
package import Store
import Tree
package import Uploads

/// The part of the inbox in the life of its uploads: their files are in `incoming/{id}/` while they are ingested, and
/// in `done/` or `failed/` when they have ended.
package struct InboxIntake: IntakeHandler {
    private let storage: StorageFolder
    private let settings: @Sendable () -> PipelineSettings
    private let logger: Logger

    package init(_ storage: StorageFolder, settings: @escaping @Sendable () -> PipelineSettings, logger: Logger) {
        self.storage = storage
        self.settings = settings
        self.logger = logger
    }

    package func duplicatePolicy(for user: UserID) -> DuplicatePolicy { settings().duplicates[user] }

    /// Whether order is kept: photos that are dropped together are posted in the order of their names.
    package var keepsOrder: Bool { true }

    /// Whether clean-up follows publication: the dropped file is moved to `done/`.
    package var cleansUpAfterPublication: Bool { true }

    /// Cleans up after an expired upload; leaves other uploads to the importer, which archives the files.
    package func cleanUp(after record: UploadRecord) async throws -> Bool {
        guard record.state == .expired else { return false }
        try await storage.blobs.removeAll(userID: record.owner.description, postID: record.id.description)
        return true
    }

    package func holdsFiles(of id: PostID) async throws -> Bool {
        let incoming = storage.incoming
        return try await FileThreads.run { () throws(FileError) in try incoming.entry(id.description) != nil }
    }

    package func forgetPost(of record: UploadRecord) async throws {
        try await archives.removeCopy(of: record)
    }

    package func sweepArchives() async throws {
        try await archives.sweep()
    }

    private var archives: ArchiveSweeper {
        ArchiveSweeper(
            storage: storage, index: PhotoIndex(storage), retention: settings().retention, logger: logger)
    }

    // MARK: Leftover claims

    /// Puts claimed files aside that no upload needs: an upload needs them until it has been cleaned up.
    package func sweep() async throws {
        let incoming = storage.incoming
        let folders = try await FileThreads.run { () throws(FileError) in
            try incoming.entries().filter { $0.kind == .folder }
        }
        for folder in folders {
            guard let id = PostID(folder.name) else { continue }
            let record = try await storage.tree.upload(id)
            if record?.state.isTerminal ?? true, try await storage.tree.get(UploadNodes.queued(id)) == nil {
                try await putAside(claim: folder.name, owner: record?.owner)
            }
        }
    }

    /// Moves a claim to `failed/`, with all its files; an empty claim is deleted.
    private func putAside(claim name: String, owner: UserID?) async throws {
        let storage = storage
        let reason = Failure(
            .leftOver,
            "these files are left over from an upload that has ended or does not exist",
            hint: "Compare them with done/ and the posts, and put missing ones into the inbox again.")
        let isPutAside = try await FileThreads.run { () throws(FileError) in
            // The claim may have ended since it was listed.
            guard try storage.incoming.entry(name) != nil else { return false }
            guard try !storage.incoming.folder(name).names().isEmpty else {
                try storage.incoming.remove(name)
                return false
            }
            let folder = try storage.failedFolder(of: reason.code, user: owner)
            let document = FailureReason(reason, user: owner, source: name, file: name, mark: name).json
            try folder.write(document, as: "\(name).reason.json", staging: storage.incoming)
            try storage.incoming.move(name, to: folder, as: name)
            return true
        }
        guard isPutAside else { return }
        logger.warning("put aside a leftover claim", metadata: ["upload": "\(name)"])
    }

    // MARK: The backlog

    /// The depth of folders to which files are counted.
    private static let backlogDepth = 4

    /// Returns the number of photos in the inbox, without hidden files and texts beside photos.
    package func backlog() async -> Int? {
        let inbox = storage.inbox
        return try? await FileThreads.run { () throws(FileError) in
            try Self.countFiles(in: inbox, depth: Self.backlogDepth)
        }
    }

    private static func countFiles(in folder: Directory, depth: Int) throws(FileError) -> Int {
        var count = 0
        for entry in try folder.entries() where !entry.name.hasPrefix(".") {
            switch entry.kind {
            case .file: count += entry.name.hasSuffix(Sidecar.suffix) ? 0 : 1
            case .folder where depth > 0: count += try countFiles(in: folder.folder(entry.name), depth: depth - 1)
            default: break
            }
        }
        return count
    }
}
