import API
package import Files
import Synchronization

/// The disk on which long answers wait for their readers, and the bound on how much of it they may hold together.
package final class ResponseSpool: Sendable {
    /// For all answers together, in bytes.
    package static let maxBytes = 512 << 20

    let folder: Directory
    private let maxBytes: Int
    private let used = Atomic(0)

    /// Keeps answers in files without names in this folder.
    package init(in folder: Directory, maxBytes: Int = ResponseSpool.maxBytes) {
        self.folder = folder
        self.maxBytes = maxBytes
    }

    /// The bytes that are counted at present.
    package var usedBytes: Int { used.load(ordering: .relaxed) }

    /// The part of the bound that one answer holds; it comes back when the answer is done with.
    ///
    /// A single answer counts for half of the bound at most: a tree of any size can be read as a whole, by one or two
    /// at a time.
    final class Share: Sendable {
        private let spool: ResponseSpool
        private let counted = Atomic(0)

        fileprivate init(of spool: ResponseSpool) { self.spool = spool }

        /// Takes more of the bound.
        ///
        /// - Throws: `Failure` with the code `too_many_reads` when others hold the rest.
        func take(_ count: Int) throws(Failure) {
            let old = counted.load(ordering: .relaxed)
            let new = min(old + count, spool.maxBytes / 2)
            guard new > old else { return }
            counted.store(new, ordering: .relaxed)
            guard spool.used.add(new - old, ordering: .relaxed).newValue <= spool.maxBytes else {
                throw Failure(
                    .tooManyReads, "too many large answers wait for their readers",
                    hint: "try again when others have been read, or read less at once")
            }
        }

        deinit { spool.used.subtract(counted.load(ordering: .relaxed), ordering: .relaxed) }
    }

    /// Begins a share.
    func share() -> Share { Share(of: self) }
}

/// A text on disk that waits for its reader; the disk has its room back when the last reference goes.
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
