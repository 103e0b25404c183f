import API
import Access
import Concurrency
import Cryptography
import Files
import Imaging
import Keeping
import Store
import Synchronization
import Uploads

/// Takes the place out of originals when they are handed out, and changes nothing in the store.
///
/// A file is read once, to find what has to go; it is then sent from where it is stored, with these parts left out or
/// replaced. What was found is kept for the files that were asked for last.
final class OriginalScrubber: Sendable {
    /// How many files may be in memory at a time.
    private static let slotCount = 2
    /// The most memory for what was found, in bytes, and the most files of which it is kept.
    private static let (maxKeptBytes, maxKeptCount) = (8 << 20, 256)

    /// A file whose bytes are those that were looked at: names do not change theirs, but people may put files there.
    private struct Key: Hashable {
        let name: BlobName
        let version: FileReader.Version
    }

    private struct Kept {
        var found: [Key: ScrubbedOriginal] = [:]
        /// The files, the oldest first.
        var keys: [Key] = []
        var byteCount = 0
    }

    private let slots = AsyncSemaphore(OriginalScrubber.slotCount)
    private let kept = Mutex(Kept())
    private let maxBytes: @Sendable () -> Int

    /// - Parameter maxBytes: The size of the largest photo that is accepted at present, in bytes.
    init(maxBytes: @escaping @Sendable () -> Int) { self.maxBytes = maxBytes }

    /// An original without the place where it was taken.
    ///
    /// - Throws: `Failure` `cannot_scrub` for a file that cannot be followed to its end: nobody knows what is in it.
    func scrub(_ name: BlobName, _ file: FileReader) async throws -> ScrubbedOriginal {
        let key = Key(name: name, version: try file.version())
        if let known = kept.withLock({ $0.found[key] }) { return known }
        // What was accepted under a higher limit than today's is handed out, too.
        let limits = ImageLimits(maxInputBytes: max(maxBytes(), ImageLimits().maxInputBytes))
        let original = try await slots.withPermit {
            try Task.checkCancellation()
            return try await FileThreads.run { () throws in try Self.read(file, limits) }
        }
        keep(original, of: key)
        return original
    }

    private static func read(_ file: FileReader, _ limits: ImageLimits) throws -> ScrubbedOriginal {
        let bytes = try file.readAll(maxBytes: limits.maxInputBytes)
        do throws(ImageError) {
            return ScrubbedOriginal(try LocationScrubber.pieces(of: bytes, limits: limits))
        } catch {
            throw Failure.cannotScrub(error, about: "this file")
        }
    }

    private func keep(_ original: ScrubbedOriginal, of key: Key) {
        kept.withLock { kept in
            guard kept.found.updateValue(original, forKey: key) == nil else { return }
            kept.keys.append(key)
            kept.byteCount += original.pieces.memoryByteCount
            while kept.byteCount > Self.maxKeptBytes || kept.keys.count > Self.maxKeptCount, !kept.keys.isEmpty {
                kept.byteCount -= kept.found.removeValue(forKey: kept.keys.removeFirst())?.pieces.memoryByteCount ?? 0
            }
        }
    }
}

/// An original without its place, as it is handed out.
struct ScrubbedOriginal: Sendable {
    let pieces: ScrubbedPieces
    /// What tells the bytes from those of the stored file in an entity tag; empty where they are the same.
    let tag: String

    init(_ pieces: ScrubbedPieces) {
        self.pieces = pieces
        guard pieces.differs else {
            tag = ""
            return
        }
        var text: [UInt8] = []
        for piece in pieces.pieces {
            switch piece {
            case .stored(let range): text += "stored \(range)\n".utf8
            case .bytes(let bytes): text += Array("bytes \(bytes.count)\n".utf8) + bytes
            case .repeated(let byte, let count): text += "repeated \(byte) \(count)\n".utf8
            }
        }
        tag = "-\(sha256(of: text).prefix(16))"
    }
}
