/// Joins the text frames of a client into messages.
///
/// A message of more than 16,384 UTF-16 units is sent in pieces, after a frame with their decimal number. The number
/// `0` announces no pieces: a client sends it as a keep-alive.
struct MessageJoiner {
    /// The largest message, in bytes: the largest write, 16 MiB, and the text around it.
    static let maxBytes = 16 << 20 + 64 << 10
    /// The longest number of pieces, in digits.
    private static let maxDigits = 6

    /// The number of bytes that are kept at the beginning and at the end of a message that is too long.
    private static let edgeBytes = 256

    /// A complete message.
    enum Message: Hashable {
        case text([UInt8])
        /// A message that was too long; only its beginning and end are kept.
        case tooLong(edges: [UInt8])
        /// A message that the client may not send; only its beginning and end are kept.
        case denied(edges: [UInt8])

        /// The number of bytes held.
        var byteCount: Int {
            switch self {
            case .text(let bytes), .tooLong(let bytes), .denied(let bytes): bytes.count
            }
        }
    }

    /// The fault of a frame.
    enum Fault: Error, Hashable {
        /// A frame continues a message that has not begun, or begins within another.
        case badContinuation
    }

    /// The bytes of the message that have arrived.
    private var text: [UInt8] = []
    private var isFrameOpen = false
    private var missingPieces = 0
    /// Whether the message has become too long, or may not be sent; its middle is not kept.
    private(set) var isTooLong = false
    private var isDenied = false

    /// The number of bytes held.
    var byteCount: Int { text.count }

    /// Whether a message has begun and is incomplete.
    var isWithinMessage: Bool { missingPieces > 0 || isFrameOpen }

    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - isContinuation: Whether it continues the frame before (RFC 6455, section 5.4).
    ///   - isFinal: Whether it is the last part.
    /// - Returns: The message that the frame completes; nil for none.
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

    /// Keeps only the edges of the current message.
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

    /// Parses a frame as a number of pieces; nil for a message.
    private static func pieceCount(_ text: [UInt8]) -> Int? {
        guard (1...maxDigits).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return text.reduce(0) { 10 * $0 + Int($1 - 0x30) }
    }
}
