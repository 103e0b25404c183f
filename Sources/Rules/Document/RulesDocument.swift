package import TreeModel

/// A rules document: JSON with comments that defines, node by node, who may read and write, and which indexes and times
/// to live apply.
///
///     { "rules": {                                     // one key
///         "posts": { ".indexOn": "timestamp",          // a child's path, ".value", or a list of them
///                    "$post": { ".read": true } },     // any other key
///         "sessions": { "$id": { ".ttl": 3600 } },     /* extension: seconds after the last write */
///         "scores": { ".indexOn": [["team", "points"]] } } }   // extension: an index of several children
///
/// The value of `.read`, `.write` and `.validate` is an expression in a string, or true or false.
///
/// (Firebase, "Realtime Database Security Rules".)
package struct RulesDocument: Sendable {
    /// The largest size of a document, in bytes.
    package static let maxBytes = 1 << 20

    /// The text, in UTF-8, with its comments replaced by spaces.
    package let json: [UInt8]
    /// The rules of the root of the tree.
    package let root: RulesNode

    /// Reads a document, and compiles its rules.
    ///
    /// - Throws: ``TreeError`` with code `invalid_rules`, whose message begins with the line and the column, from 1, or
    ///   `too_large`.
    package init(_ text: String) throws(TreeError) { try self.init(text, isLenient: false) }

    /// Reads a document from a store. Versions that did not enforce rules accepted any text as a rule: a rule that does
    /// not compile is never true.
    ///
    /// - Throws: ``TreeError`` with code `invalid_rules` for a document that no version accepted.
    package init(stored text: String) throws(TreeError) { try self.init(text, isLenient: true) }

    private init(_ text: String, isLenient: Bool) throws(TreeError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maxBytes else {
            throw TreeError(
                .tooLarge, "the rules have \(bytes.count) bytes; the limit is \(Self.maxBytes)", hint: "Write fewer.")
        }
        let source = try RulesText(bytes)
        let json = source.json
        var tokenizer = JSONTokenizer(RulesReader(source, isLenient: isLenient))
        do {
            try tokenizer.feed(json.span)
            try tokenizer.finish()
        } catch {
            throw tokenizer.sink.placed(error, at: tokenizer.offset)
        }
        self.json = json
        root = tokenizer.sink.root
    }
}
