package import API
import Concurrency
import Files
import Tree
import Uploads

/// Reads all files of the backups in a folder or an archive, and compares them with their digests.
package struct BackupVerification: Sendable {
    private static let width = 4
    private static let page = 256

    private let source: any BackupSource

    package init(of source: any BackupSource) { self.source = source }

    /// Verifies the backups, and reports each part that is missing or damaged, and the progress.
    ///
    /// - Returns: The last step.
    /// - Throws: `Failure` `not_a_backup` if there is none; errors of reading.
    package func run(
        _ report: @escaping @Sendable (BackupStep) async throws -> Void
    ) async throws -> BackupStepDocument {
        var progress = BackupProgress(report: report)
        let newest = try await source.newest()
        let states = try await source.states()
        progress.step.token = Int64(clamping: newest.token)
        let pieces = Set(states.flatMap(\.tree)).sorted()
        try await progress.begin(.tree, total: pieces.count)
        for piece in pieces {
            _ = try await bytes(of: piece, &progress)
            try await progress.advance(by: 1)
        }
        try await progress.begin(.blobs, total: states.map(\.files).max() ?? 0)
        // Each piece of a list is read once, in the order of the newest backup that has it.
        var seen: Set<String> = []
        for piece in states.reversed().flatMap(\.blobs) where seen.insert(piece).inserted {
            try await verifyBlobs(of: piece, &progress)
        }
        try await progress.begin(.others, total: 0)
        seen = []
        for piece in states.flatMap(\.others) where seen.insert(piece).inserted {
            try await verifyOthers(of: piece, &progress)
        }
        let unreadable = try await source.unreadable()
        let isGood = progress.found.isEmpty && unreadable.isEmpty
        try await source.mark(
            damaged: progress.found,
            verified: isGood
                ? VerificationMark(verifiedAt: WallClock.now().milliseconds, token: newest.token) : nil)
        for path in unreadable { try await progress.note(.unreadable(path)) }
        return try await progress.finish()
    }

    /// Returns the bytes of a piece; nil if it is damaged, which is reported.
    private func bytes(of piece: String, _ progress: inout BackupProgress) async throws -> [UInt8]? {
        do {
            return try await source.piece(piece)
        } catch {
            try await progress.note(.damaged(BackupLayout.piece(piece), try Self.damage(error)))
            return nil
        }
    }

    private func lines(of piece: String, _ progress: inout BackupProgress) async throws -> [FileLine] {
        guard let bytes = try await bytes(of: piece, &progress) else { return [] }
        return try FileListPiece.lines(of: bytes, named: piece)
    }

    private func verifyBlobs(of piece: String, _ progress: inout BackupProgress) async throws {
        let lines = try await lines(of: piece, &progress)
        try await forEachConcurrently(lines, concurrency: source is ArchiveReader ? 1 : Self.width) { line in
            (line, try await fault(of: line) { try await source.blob(line) })
        } _: { line, fault in
            progress.count(line)
            if let fault { try await progress.note(.damaged(BackupLayout.blob(line), fault)) }
            try await progress.advance(by: 1)
        }
    }

    private func verifyOthers(of piece: String, _ progress: inout BackupProgress) async throws {
        for line in try await lines(of: piece, &progress) {
            if let fault = try await fault(of: line, open: { try await source.other(line) }) {
                try await progress.note(.damaged(BackupLayout.other(line.sha256), fault))
            }
            try await progress.advance(by: 1)
        }
    }

    /// Returns the fault of a file; nil if there is none.
    private func fault(of line: FileLine, open: () async throws -> FileRange) async throws -> String? {
        try Task.checkCancellation()
        do {
            let range = try await open()
            let found = try await FileThreads.run { () throws(FileError) in try range.read { _ throws(FileError) in } }
            return found.sha256 == line.sha256 ? nil : "the bytes differ from those that were written"
        } catch {
            return try Self.damage(error)
        }
    }

    /// Returns the message of an error of reading a part.
    ///
    /// - Throws: The error, if it does not concern the part.
    private static func damage(_ error: any Error) throws -> String {
        switch error {
        case let failure as Failure where failure.code == .backupDamaged: failure.message
        case let failure as FileError where [.io, .wrongKind].contains(failure.code): failure.message
        default: throw error
        }
    }
}
