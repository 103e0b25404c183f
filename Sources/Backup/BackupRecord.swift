import API
import Files
import Foundation
import Model
import Synchronization
package import Tree
package import TreeModel

/// The last backup of a store that was completed, as the store remembers it: `backups/last` of the pipeline's own.
package struct BackupRecord: TreeRecord, Hashable, Sendable {
    /// The time of the tree's state, in milliseconds since the epoch.
    package let madeAt: Int64
    /// The whole path of the folder or the archive.
    package let path: String
    /// The number of files that were damaged in the store.
    package let findings: Int

    package static let form = RecordForm(
        Self.init, .init("made_at", \.madeAt), .init("path", \.path), .init("findings", \.findings, orElse: 0))

    /// Returns the record of a store; nil if it has had no backup.
    package static func last(in tree: TreeStore) async throws -> BackupRecord? {
        BackupRecord(try await tree.get(StoreNodes.backup()), at: nil)
    }

    /// Stores the record. A failure is ignored: the backup itself is complete.
    func keep(in tree: TreeStore) async { _ = try? await tree.set(StoreNodes.backup(), to: value) }
}

/// The mark of a folder of backups that was verified without a finding: `verified.json`.
package struct VerificationMark: Document, Hashable {
    static let name = "verified.json"

    /// The time at which the verification ended, in milliseconds since the epoch.
    package let verifiedAt: Int64
    /// The position in the change log of the newest backup that was read.
    package let token: UInt64

    private enum CodingKeys: String, CodingKey {
        case verifiedAt = "verified_at"
        case token
    }

    /// Writes the mark, if the folder may be written to. Blocks.
    func write(in root: Directory) throws(FileError) {
        do throws(FileError) {
            try root.write(json() + "\n".utf8, as: Self.name)
        } catch  where error.code == .readOnly || error.code == .permission {
            return
        }
    }

    /// Reads the mark of a folder; nil if it has none, or cannot be read. Blocks.
    static func read(at path: String) -> VerificationMark? {
        guard let root = try? Directory(path: path), let file = try? root.file(name),
            let bytes = try? file.readAll(maxBytes: 4096)
        else { return nil }
        return try? VerificationMark(json: Data(bytes))
    }
}

/// The last verification of the folder that the last backup is in.
///
/// The folder may be on a disk of another machine that does not answer: one read runs at a time, and readers get the
/// result of the last one that ended.
package final class LastVerification: Sendable {
    private struct State {
        var mark: VerificationMark?
        var isReading = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Begins to read the mark of a folder, unless a read is in progress, and returns the mark as soon as it is read.
    ///
    /// - Returns: The mark of the last read that ended; nil for none.
    package func mark(of path: String) async -> VerificationMark? {
        let isFree = state.withLock { state in
            defer { state.isReading = true }
            return !state.isReading
        }
        guard isFree else { return state.withLock { $0.mark } }
        return await FileThreads.run { [self] in
            let mark = VerificationMark.read(at: path)
            state.withLock { $0 = State(mark: mark) }
            return mark
        }
    }
}
