import API
import Files
import Keeping
import Model
import Tree

/// The restoration of the tree at a point in time, from the rows of backups.
struct TreeRestore {
    /// The number of bytes of rows that are written in one transaction.
    private static let batchBytes = 16 << 20

    private let source: any BackupSource
    private let plan: RestorePlan
    /// The folder in which the tree is created.
    private let folder: Directory

    private let publicBase: PublicBase?

    init(_ plan: RestorePlan, from source: any BackupSource, in folder: Directory, publicBase: PublicBase?) {
        (self.plan, self.source, self.folder, self.publicBase) = (plan, source, folder, publicBase)
    }

    /// The path of the tree's file.
    var path: String { "\(folder.path)/tree.sqlite" }

    /// Creates the tree.
    ///
    /// - Throws: `Failure` `backup_damaged`; `TreeError` if the change log does not reach from one backup to the next.
    func run(_ progress: inout BackupProgress) async throws {
        try removeLeftovers()
        try await restore(plan.state.tree, to: path, .all, &progress)
        guard let next = plan.next else { return }
        let log = "\(folder.path)/log.sqlite"
        try await restore(next.tree, to: log, .changeLog, &progress)
        if let end = try await end(in: log) {
            try await TreeReplay.run(
                log, upTo: end, at: path, derivations: TreeInvariants.derivations(publicBase: publicBase)
            ) { _ in try Task.checkCancellation() }
        }
        for name in try folder.names() where name.hasPrefix("log.sqlite") { try folder.remove(name) }
    }

    private func removeLeftovers() throws {
        for name in try folder.names() where name.contains(".sqlite") { try folder.remove(name) }
    }

    /// Returns the last change to apply; nil if the backup contains it already.
    private func end(in log: String) async throws -> SyncToken? {
        let end: SyncToken? =
            switch plan.point {
            case .newest: nil
            case .token(let token): SyncToken(sequence: token)
            case .time(let time): try await TreeReplay.lastChange(until: time, in: log)
            }
        return end.flatMap { $0.sequence > plan.state.token ? $0 : nil }
    }

    private func restore(
        _ pieces: [String], to path: String, _ part: TreeRestorer.Part, _ progress: inout BackupProgress
    ) async throws {
        let restorer = try TreeRestorer(path: path, part: part)
        do {
            try await progress.begin(.tree, total: pieces.count)
            var (batch, byteCount, isWanted): ([[UInt8]], Int, Bool) = ([], 0, true)
            for piece in pieces where isWanted {
                let bytes = try await source.piece(piece)
                batch.append(bytes)
                byteCount += bytes.count
                if byteCount >= Self.batchBytes {
                    isWanted = try await restorer.add(batch)
                    (batch, byteCount) = ([], 0)
                }
                try await progress.advance(by: 1)
            }
            if isWanted, !batch.isEmpty { _ = try await restorer.add(batch) }
        } catch {
            await restorer.finish()
            throw error
        }
        await restorer.finish()
    }
}
