/// Puts the messages of a client together of the text frames in which they come.
///
/// A message of more than 16,384 UTF-16 units comes in pieces, behind a frame with their decimal number. The number `0` is no
/// number of pieces: with it a client shows that it is there.
struct MessageJoiner {
    /// The largest message, in bytes: what a client may write at once, 16 MiB, and what stands around it.
    static let maxBytes = 16 << 20 + 64 << 10
    /// The longest number of pieces, in digits.
    private static let maxDigits = 6

    /// How much is kept of the beginning and of the end of a message that is too long, in bytes.
    private static let edgeBytes = 256

    /// A message that is complete.
    enum Message: Hashable {
        case text([UInt8])
        /// One that was too long, of which the beginning and the end are left.
        case tooLong(edges: [UInt8])
        /// One that may not be sent, of which the same is left.
        case denied(edges: [UInt8])

        /// The bytes that are held.
        var byteCount: Int {
            switch self {
            case .text(let bytes), .tooLong(let bytes), .denied(let bytes): bytes.count
            }
        }
    }

    /// What is wrong with a frame.
    enum Fault: Error, Hashable {
        /// A frame goes on with one that has not begun, or begins within another.
        case badContinuation
    }

    /// What has come of the message.
    private var text: [UInt8] = []
    private var isFrameOpen = false
    private var missingPieces = 0
    /// Whether the message has become too long, or may not be sent: the middle of it is not kept.
    private(set) var isTooLong = false
    private var isDenied = false

    /// The bytes that are held.
    var byteCount: Int { text.count }

    /// Whether a message has begun that is not complete.
    var isWithinMessage: Bool { missingPieces > 0 || isFrameOpen }

    /// Takes a frame.
    ///
    /// - Parameters:
    ///   - isContinuation: Whether it goes on with the frame before (RFC 6455, section 5.4).
    ///   - isFinal: Whether it is the last part.
    /// - Returns: The message that it completes; nil for none.
    mutating func add(
        _ bytes: some BidirectionalCollection<UInt8>, isContinuation: Bool, isFinal: Bool
    ) throws(Fault) -> Message? {
        guard isContinuation == isFrameOpen else { throw .badContinuation }
        isFrameOpen = !isFinal
        append(bytes)
        guard isFinal else { return nil }
        if missingPieces > 0 {
            missingPieces -= 1
            guard missingPieces == 0 else { return nil }
        } else if let count = Self.pieceCount(text) {
            missingPieces = count
            text = []
            return nil
        }
        defer { (text, isTooLong, isDenied) = ([], false, false) }
        guard isTooLong else { return .text(text) }
        return isDenied ? .denied(edges: text) : .tooLong(edges: text)
    }

    /// Keeps no more than the edges of the message that is coming.
    mutating func deny() {
        (isTooLong, isDenied) = (true, true)
        text = text.prefix(Self.edgeBytes) + text.dropFirst(Self.edgeBytes).suffix(Self.edgeBytes)
    }

    private mutating func append(_ bytes: some BidirectionalCollection<UInt8>) {
        if !isTooLong, text.count + bytes.count <= Self.maxBytes { return text.append(contentsOf: bytes) }
        isTooLong = true
        let end = text.dropFirst(Self.edgeBytes).suffix(Self.edgeBytes) + bytes.suffix(Self.edgeBytes)
        text = text.prefix(Self.edgeBytes) + end.suffix(Self.edgeBytes)
    }

    /// The number that a frame consists of; nil for one that is a message.
    private static func pieceCount(_ text: [UInt8]) -> Int? {
        guard (1...maxDigits).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return text.reduce(0) { 10 * $0 + Int($1 - 0x30) }
    }
}
