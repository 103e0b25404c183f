/// Why a text is no expression of the rules' language, and where.
struct ExpressionError: Error, Hashable {
    let message: String
    /// The offset in the text, in bytes.
    let offset: Int

    init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }
}
