import API
package import Files
import Synchronization

/// The disk space for long responses that wait for their readers, with a limit on their total size.
package final class ResponseSpool: Sendable {
    /// The limit of all responses together, in bytes.
    package static let maxBytes = 512 << 20

    let folder: Directory
    private let maxBytes: Int
    private let used = Atomic(0)

    /// Creates a spool that keeps responses in unnamed files in this folder.
    package init(in folder: Directory, maxBytes: Int = ResponseSpool.maxBytes) {
        self.folder = folder
        self.maxBytes = maxBytes
    }

    /// The number of bytes that are in use at present.
    package var usedBytes: Int { used.load(ordering: .relaxed) }

    /// The share of one response in the limit; it is returned when the share is released.
    ///
    /// A single response counts for half of the limit at most: a tree of any size can be read as a whole, by one or two
    /// readers at a time.
    final class Share: Sendable {
        private let spool: ResponseSpool
        private let counted = Atomic(0)

        fileprivate init(of spool: ResponseSpool) { self.spool = spool }

        /// Takes more bytes from the limit.
        ///
        /// - Throws: `Failure` with the code `too_many_reads` if others hold the rest.
        func take(_ count: Int) throws(Failure) {
            let old = counted.load(ordering: .relaxed)
            let new = min(old + count, spool.maxBytes / 2)
            guard new > old else { return }
            counted.store(new, ordering: .relaxed)
            guard spool.used.add(new - old, ordering: .relaxed).newValue <= spool.maxBytes else {
                throw Failure(
                    .tooManyReads, "too many large answers wait for their readers",
                    hint: "Try again when others have been read, or read less at once.")
            }
        }

        deinit { spool.used.subtract(counted.load(ordering: .relaxed), ordering: .relaxed) }
    }

    /// Creates a share.
    func share() -> Share { Share(of: self) }
}

/// A text on disk that waits for its reader; the file is deleted when the last reference is released.
package final class SpooledFile: Sendable {
    package let file: FileReader
    package let byteCount: Int
    private let share: ResponseSpool.Share

    init(_ file: FileReader, byteCount: Int, share: ResponseSpool.Share) {
        self.file = file
        self.byteCount = byteCount
        self.share = share
    }
}
