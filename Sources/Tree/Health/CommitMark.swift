import CSystemDeflate
import Failpoints
import Glibc
import Synchronization

/// The last position of a store's change log, in a small file beside the store.
///
/// SQLite does not treat a truncated log as damage: it opens the database in an earlier state. The mark shows that
/// there were more commits. It is written after each commit but never synced, so that it costs almost nothing and is
/// never ahead of the durable state. It survives the end of the process at once, and a crash of the machine after the
/// system has written it to disk, which may take half a minute.
///
/// Two lines are written alternately, each in a sector of its own, so that one of them stays intact in a power failure:
///
///     change 00000000000000000041 crc 9f2c11d0
public final class CommitMark: Sendable {
    private static let sectorBytes = 512

    private let path: String
    private let descriptor: Int32
    /// The last position that was written.
    private let written: Mutex<UInt64>

    /// Opens the file, or creates it with access for its owner only.
    ///
    /// - Throws: ``TreeError`` with code `cannot_open`.
    public init(path: String) throws(TreeError) {
        self.path = path
        descriptor = Failpoint.create.around(path) { Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw TreeError(.cannotOpen, "\(path): \(reason)", hint: "Check the folder and its permissions.")
        }
        written = Mutex(Self.read(descriptor))
    }

    deinit { close(descriptor) }

    /// The last known position of the change log.
    public var lastChange: SyncToken { SyncToken(sequence: sequence) }

    /// The last known position of the change log; 0 if none is known.
    var sequence: UInt64 { written.withLock { $0 } }

    /// Checks that a store has all updates up to the mark.
    ///
    /// - Throws: ``TreeError`` with code `missing_updates`.
    func check(_ token: SyncToken) throws(TreeError) {
        let known = sequence
        guard token.sequence < known else { return }
        throw TreeError(
            .missingUpdates, "the store ends with change \(token) but had reached \(known): the last ones are missing",
            hint: """
                Put back tree.sqlite and tree.sqlite-wal as they were. To go on without these updates, delete \
                \((path.split(separator: "/").last).map(String.init) ?? path) and start again.
                """)
    }

    /// Records a position of the change log, which is durable.
    ///
    /// If the disk refuses the write, the mark stays at an older position.
    func advance(to token: SyncToken) {
        written.withLock { written in
            guard token.sequence > written else { return }
            let line = Self.line(token.sequence)
            let offset = off_t(token.sequence % 2) * off_t(Self.sectorBytes)
            let count = Failpoint.write.around(path) { pwrite(descriptor, line, line.count, offset) }
            if count == line.count { written = token.sequence }
        }
    }

    // MARK: The lines

    private static func line(_ sequence: UInt64) -> [UInt8] {
        let digits = String(sequence)
        let text = "change " + String(repeating: "0", count: 20 - digits.count) + digits
        let crc = String(libdeflate_crc32(0, Array(text.utf8), text.utf8.count), radix: 16)
        return Array("\(text) crc \(String(repeating: "0", count: 8 - crc.count))\(crc)\n".utf8)
    }

    private static func read(_ descriptor: Int32) -> UInt64 {
        let length = line(0).count
        var last: UInt64 = 0
        for sector in 0..<2 {
            var bytes = [UInt8](repeating: 0, count: length)
            guard pread(descriptor, &bytes, length, off_t(sector * sectorBytes)) == length,
                let digits = String(validating: bytes, as: UTF8.self)?.split(separator: " ").dropFirst().first,
                let sequence = UInt64(digits), line(sequence) == bytes
            else { continue }
            last = max(last, sequence)
        }
        return last
    }
}
