/// The reason why a text is not an expression of the rules' language, and its offset.
struct ExpressionError: Error, Hashable {
    let message: String
    /// The offset in the text, in bytes.
    let offset: Int

    init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }
}
