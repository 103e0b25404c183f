/// Splits a JSON text of any length into updates of a few megabytes. Applied in order, they have the same effect as the
/// whole text.
///
/// Only one piece is held in memory, however long the text is. A text that fits into one piece is not split, and is
/// therefore applied as a whole or not at all. For a longer text, the first piece replaces the current value, and each
/// further piece adds to it. Keys and depth are checked as the text arrives; objects with a special meaning, such as
/// `{".sv": "timestamp"}`, are left to ``JSONUpdate``.
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
        /// The form in which the piece must be applied; in an update, keys are paths below the path.
        public let form: Form
        /// The part as JSON.
        public let json: [UInt8]
    }

    private var tokenizer: JSONTokenizer<PieceWriter>

    /// Creates a splitter; in a text of the form `update`, each key names one child.
    ///
    /// - Parameters:
    ///   - path: The path for which the text is meant; it limits the depth of the text.
    ///   - maxPieceBytes: The number of bytes after which a piece ends; a long string may make a piece longer.
    ///   - maxPaths: The number of paths after which a piece ends.
    public init(
        _ form: Form, at path: TreePath = .root, maxPieceBytes: Int = 4 << 20,
        maxPaths: Int = 20_000
    ) {
        tokenizer = JSONTokenizer(
            PieceWriter(form: form, depth: path.depth, maxPieceBytes: maxPieceBytes, maxPaths: maxPaths))
    }

    /// The offset of the error after a failure, in bytes from the start of the text.
    public var offset: Int { tokenizer.offset }

    /// Reads the next bytes.
    ///
    /// - Returns: The pieces that are complete.
    /// - Throws: ``TreeError`` with code `invalid_json`, `invalid_key` or `too_large`.
    public mutating func feed(_ bytes: Span<UInt8>) throws(TreeError) -> [Piece] {
        try tokenizer.feed(bytes)
        return tokenizer.sink.takePieces()
    }

    /// Returns the last piece, after the whole text has been read; nil if the previous piece was the last.
    ///
    /// - Throws: ``TreeError`` with code `invalid_json` if the text is incomplete.
    public mutating func finish() throws(TreeError) -> Piece? {
        try tokenizer.finish()
        tokenizer.sink.endPiece()
        return tokenizer.sink.takePieces().last
    }
}
