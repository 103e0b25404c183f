/// Cuts a JSON text of any length into updates of a few megabytes that, applied one after the other, come to the same.
///
/// What it holds is one piece, however long the text is. A text that fits into one piece stays whole, and is applied
/// whole or not at all; of a longer one the first piece replaces what is there, and each further one adds what follows.
/// Keys and depth are checked as the text comes; what an object means is left to ``JSONUpdate``.
public struct JSONSplitter {
    /// The meaning of a text for a path.
    public enum Form: Sendable {
        /// The text is the new value of the path.
        case value
        /// The text names children of the path and gives their new values; others stay.
        case update
    }

    /// A part of the text.
    public struct Piece: Sendable {
        /// The form in which it is to be applied: in an update, keys are paths below the path.
        public let form: Form
        /// The part as JSON.
        public let json: [UInt8]
    }

    private var tokenizer: JSONTokenizer<PieceWriter>

    /// Prepares to read a text; in one that is an update, each key names one child.
    ///
    /// - Parameters:
    ///   - path: Where the text will stand, which limits how deep it may be.
    ///   - maxPieceBytes: After how many bytes a piece ends; a long string may make it longer.
    ///   - maxPaths: After how many paths a piece ends.
    public init(
        _ form: Form, at path: TreePath = .root, maxPieceBytes: Int = 4 << 20,
        maxPaths: Int = 20_000
    ) {
        tokenizer = JSONTokenizer(
            PieceWriter(form: form, depth: path.depth, maxPieceBytes: maxPieceBytes, maxPaths: maxPaths))
    }

    /// The offset of the fault after a failure, in bytes from the beginning of the text.
    public var offset: Int { tokenizer.offset }

    /// Reads the next bytes.
    ///
    /// - Returns: The pieces that they complete.
    /// - Throws: ``TreeError`` with code `invalid_json`, `invalid_key` or `too_large`.
    public mutating func feed(_ bytes: Span<UInt8>) throws(TreeError) -> [Piece] {
        try tokenizer.feed(bytes)
        return tokenizer.sink.takePieces()
    }

    /// The last piece, once the text has ended; none if it ended with the one before.
    ///
    /// - Throws: ``TreeError`` with code `invalid_json` when the text is not complete.
    public mutating func finish() throws(TreeError) -> Piece? {
        try tokenizer.finish()
        tokenizer.sink.endPiece()
        return tokenizer.sink.takePieces().last
    }
}
