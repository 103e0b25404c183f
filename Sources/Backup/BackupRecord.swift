import API
package import Files
import Foundation
import Synchronization

/// The last backup of a store that was completed: `backup.json` in the Storage folder. It is not in the tree, because
/// each backup would then change what the next one saves.
package struct BackupRecord: Document, Hashable {
    static let name = "backup.json"

    /// The time of the tree's state, in milliseconds since the epoch.
    package let madeAt: Int64
    /// The whole path of the folder or the archive.
    package let path: String
    /// The number of files that were damaged in the store.
    package let findings: Int

    private enum CodingKeys: String, CodingKey {
        case madeAt = "made_at"
        case path, findings
    }

    /// Returns the record of a store; nil if it has had no backup, or the record cannot be read. Blocks.
    package static func last(in storage: Directory) -> BackupRecord? { Self.read(name, in: storage) }

    /// Stores the record. A failure is ignored: the backup itself is complete. Blocks.
    ///
    /// - Parameter staging: The folder for the file until it is whole.
    func keep(in storage: Directory, staging: Directory) {
        try? storage.write(json() + "\n".utf8, as: Self.name, staging: staging)
    }
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
        (try? Directory(path: path)).flatMap { read(name, in: $0) }
    }
}

extension Document {
    /// Reads a small file of a folder; nil if it is missing, or cannot be read. Blocks.
    fileprivate static func read(_ name: String, in folder: Directory) -> Self? {
        guard let bytes = try? folder.file(name).readAll(maxBytes: 1 << 16) else { return nil }
        return try? Self(json: Data(bytes))
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
