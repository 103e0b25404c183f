/// A rules document: JSON with comments that says, node by node, who may do what and what is kept.
///
///     { "rules": {                                     // one key
///         "posts": { ".indexOn": "timestamp",          // a child's path, ".value", or a list of them
///                    "$post": { ".read": true } },     // any other key
///         "sessions": { "$id": { ".ttl": 3600 } },     /* extension: seconds after the last write */
///         "scores": { ".indexOn": [["team", "points"]] } } }   // extension: an index of several children
///
/// `.read`, `.write` and `.validate` are a string or a bool.
///
/// (Firebase, "Realtime Database Security Rules".)
struct RulesDocument {
    /// The longest document, in bytes.
    static let maxBytes = 1 << 20

    /// The text without its comments: spaces in their places.
    let json: [UInt8]
    let root: RulesNode

    /// Reads a document.
    ///
    /// - Throws: ``TreeError`` with code `invalid_rules`; its message begins with the line and the column, from 1.
    init(_ text: String) throws(TreeError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maxBytes else {
            throw TreeError(
                .tooLarge, "the rules have \(bytes.count) bytes, the limit is \(Self.maxBytes)", hint: "write fewer")
        }
        let json = try Self.strippingComments(bytes)
        var tokenizer = JSONTokenizer(RulesReader())
        do {
            try tokenizer.feed(json.span)
            try tokenizer.finish()
        } catch {
            throw Self.invalid(error.message, at: tokenizer.offset, of: bytes)
        }
        self.json = json
        root = tokenizer.sink.root
    }

    private static func invalid(_ complaint: String, at offset: Int, of bytes: [UInt8]) -> TreeError {
        let before = bytes.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // In characters: all bytes but those that go on with one.
        let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        return TreeError(.invalidRules, "\(line):\(column): \(complaint)", hint: "correct the rules; the old ones stay")
    }

    /// Puts spaces in the place of comments, outside strings, so that everything else stays where it is.
    private static func strippingComments(_ bytes: [UInt8]) throws(TreeError) -> [UInt8] {
        var json = bytes
        var index = 0
        while index < bytes.count {
            switch (bytes[index], index + 1 < bytes.count ? bytes[index + 1] : 0) {
            case (UInt8(ascii: "\""), _):
                index = endOfString(in: bytes, from: index)
            case (UInt8(ascii: "/"), UInt8(ascii: "/")):
                let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                blank(index..<end, in: &json)
                index = end
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                guard let end = endOfComment(in: bytes, from: index + 2) else {
                    throw invalid("a comment has no end", at: index, of: bytes)
                }
                blank(index..<end, in: &json)
                index = end
            default:
                index += 1
            }
        }
        return json
    }

    private static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index + 1
    }

    private static func endOfComment(in bytes: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + 1 < bytes.count {
            if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") { return index + 2 }
            index += 1
        }
        return nil
    }

    private static func blank(_ range: Range<Int>, in json: inout [UInt8]) {
        for index in range where json[index] != UInt8(ascii: "\n") { json[index] = UInt8(ascii: " ") }
    }
}
