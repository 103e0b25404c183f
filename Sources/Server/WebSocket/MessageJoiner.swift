/// Puts the messages of a client together of the text frames in which they come.
///
/// A message of more than 16,384 UTF-16 units comes in pieces, behind a frame with their decimal number. The number `0` is no
/// number of pieces: with it a client shows that it is there.
struct MessageJoiner {
    /// The largest message, in bytes: what a client may write at once, 16 MiB, and what stands around it.
    static let maxBytes = 16 << 20 + 64 << 10
    /// The longest number of pieces, in digits.
    private static let maxDigits = 6

    /// What is wrong with a frame.
    enum Fault: Error, Hashable {
        case tooLarge
        /// A frame goes on with a message that has not begun, or begins one within another.
        case badContinuation
    }

    /// The bytes of a frame that is not complete; nil when none is open.
    private var frame: [UInt8]?
    private var pieces: [UInt8] = []
    private var missingPieces = 0

    /// The bytes that are held.
    var byteCount: Int { pieces.count + (frame?.count ?? 0) }

    /// Whether a message has begun that is not complete.
    var isWithinMessage: Bool { missingPieces > 0 || frame != nil }

    /// Takes a frame.
    ///
    /// - Parameters:
    ///   - isContinuation: Whether it goes on with the frame before (RFC 6455, section 5.4).
    ///   - isFinal: Whether it is the last part.
    /// - Returns: The message that it completes; nil for none.
    mutating func add(
        _ bytes: some Collection<UInt8>, isContinuation: Bool, isFinal: Bool
    ) throws(Fault) -> [UInt8]? {
        guard isContinuation == (frame != nil) else { throw .badContinuation }
        guard byteCount + bytes.count <= Self.maxBytes else { throw .tooLarge }
        if !isFinal {
            frame = (frame ?? []) + bytes
            return nil
        }
        var whole = frame ?? []
        frame = nil
        whole.append(contentsOf: bytes)
        return add(whole)
    }

    private mutating func add(_ text: [UInt8]) -> [UInt8]? {
        guard missingPieces > 0 else {
            guard let count = Self.pieceCount(text) else { return text }
            missingPieces = count
            return nil
        }
        pieces.append(contentsOf: text)
        missingPieces -= 1
        guard missingPieces == 0 else { return nil }
        defer { pieces = [] }
        return pieces
    }

    /// The number that a frame consists of; nil for one that is a message.
    private static func pieceCount(_ text: [UInt8]) -> Int? {
        guard (1...maxDigits).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return text.reduce(0) { 10 * $0 + Int($1 - 0x30) }
    }
}
