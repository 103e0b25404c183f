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

/// Removes the location from originals when they are served, and changes nothing in the store.
///
/// A file is read once, to find the parts to remove; it is then sent from the store, with these parts left out or
/// replaced. The findings are kept for the most recently requested files.
final class OriginalScrubber: Sendable {
    /// The number of files that may be in memory at once.
    private static let slotCount = 2
    /// The limits on kept findings: their memory, in bytes, and the number of files.
    private static let (maxKeptBytes, maxKeptCount) = (8 << 20, 256)

    /// A file with certain bytes: the bytes of a name do not change, but users may replace files there.
    private struct Key: Hashable {
        let name: BlobName
        let version: FileReader.Version
    }

    private struct Kept {
        var found: [Key: ScrubbedOriginal] = [:]
        /// The files, the least recently used first.
        var keys: [Key] = []
        var byteCount = 0
    }

    private let slots = AsyncSemaphore(OriginalScrubber.slotCount)
    private let kept = Mutex(Kept())
    private let maxBytes: @Sendable () -> Int

    /// - Parameter maxBytes: The size of the largest photo that is accepted at present, in bytes.
    init(maxBytes: @escaping @Sendable () -> Int) { self.maxBytes = maxBytes }

    /// Returns an original without its location.
    ///
    /// - Throws: `Failure` `cannot_scrub` for a file that cannot be parsed to its end, because its contents are
    ///   unknown.
    func scrub(_ name: BlobName, _ file: FileReader) async throws -> ScrubbedOriginal {
        let key = Key(name: name, version: try file.version())
        if let known = kept.withLock({ $0.found[key] }) { return known }
        // Photos that were accepted under a higher limit than today's are served, too.
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

/// A served original without its location.
struct ScrubbedOriginal: Sendable {
    let pieces: ScrubbedPieces
    /// The part of the entity tag that distinguishes these bytes from the stored file; empty if they are equal.
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
