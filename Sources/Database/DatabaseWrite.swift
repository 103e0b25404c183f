package import API
package import Tree

/// A write whose JSON text is being received: the text is converted to rows at once, and never held as a whole.
///
/// It counts against the limit of its request and against the budget of all requests. A write that is not committed has
/// no effect.
package struct DatabaseWrite: ~Copyable {
    /// The number of bytes received.
    package private(set) var byteCount = 0

    let path: DatabasePath
    let kind: WriteKind
    let share: ByteBudget.Share
    private let limit: WriteSizeLimit
    private var reader: JSONUpdate.Reader

    init(
        _ form: JSONUpdate.Form, _ kind: WriteKind, at path: DatabasePath, limit: WriteSizeLimit,
        share: ByteBudget.Share
    ) {
        self.path = path
        self.kind = kind
        self.limit = limit
        self.share = share
        reader = JSONUpdate.Reader(form, at: path.node)
    }

    /// Refuses a text by its announced length, before it is received.
    ///
    /// - Throws: `Failure` with the code `write_too_large`.
    package func check(announced byteCount: Int) throws(Failure) { try limit.check(byteCount) }

    /// Processes the next bytes of the text.
    ///
    /// - Throws: `Failure` with the code `write_too_large` or `too_many_writes`; `TreeError` with the code `invalid_json`,
    ///   `invalid_key` or `too_large`.
    package mutating func receive(_ bytes: Span<UInt8>) throws {
        byteCount += bytes.count
        try limit.check(byteCount)
        try share.take(bytes.count)
        try reader.feed(bytes)
    }

    /// Returns the update that the whole text describes.
    ///
    /// - Throws: `Failure` with the code `no_data`; `TreeError` with the code `invalid_json` when the text is not complete.
    mutating func finish() throws -> JSONUpdate {
        guard byteCount > 0 else { throw Failure(.noData, "Error: No data supplied.") }
        return try reader.finish()
    }
}

/// The result of a write: the values written, with the server's values filled in, as JSON and as an ETag.
package struct WriteReceipt: Sendable {
    private let receipt: JSONReceipt
    /// The key of the child that a push has added; nil for other writes.
    package let childKey: TreeKey?
    /// The write's share of the budget, which is held while its rows are in memory.
    private let share: ByteBudget.Share?

    init(_ receipt: JSONReceipt, childKey: TreeKey? = nil, holding share: ByteBudget.Share?) {
        self.receipt = receipt
        self.childKey = childKey
        self.share = share
    }

    /// The position in the change log just after the write.
    package var token: SyncToken { receipt.token }

    /// See ``JSONReceipt/json()``.
    package func json() throws(TreeError) -> [UInt8] { try receipt.json() }

    /// See ``JSONReceipt/etag()``.
    package func etag() throws(TreeError) -> String { try receipt.etag() }
}
