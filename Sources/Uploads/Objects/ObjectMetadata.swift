package import API
package import TreeModel

/// What a client says of an object: its type, how it is to be handed out, and words of its own.
///
/// Lengths are limited, and nothing in it can break out of a header field.
package struct ObjectMetadata: Hashable, Sendable {
    /// The longest of the fields, in bytes.
    package static let maxFieldBytes = 1024
    /// The longest custom metadata, in bytes of names and values together (Google Cloud Storage, "Quotas & limits").
    package static let maxCustomBytes = 8 << 10
    /// The field of custom metadata by which Firebase's clients set download tokens.
    private static let tokensField = "firebaseStorageDownloadTokens"
    /// The longest download token, in bytes, and the most of them.
    private static let (maxTokenBytes, maxTokens) = (128, 10)

    /// The fields that become header fields of the object's bytes, by their names in JSON.
    package enum Field: String, CaseIterable, Sendable {
        case contentType, contentDisposition, contentEncoding, contentLanguage, cacheControl
    }

    package private(set) var fields: [Field: String] = [:]
    /// What the client noted with the object.
    package private(set) var custom: [String: String] = [:]
    /// The download tokens that the client has chosen; empty for none.
    package private(set) var tokens: [String] = []

    package init() {}

    package subscript(field: Field) -> String? { fields[field] }

    /// The media type of an object of which nobody said it.
    package static let defaultType = "application/octet-stream"
    package var contentType: String { fields[.contentType] ?? Self.defaultType }

    /// The media type by which the object is handed out: a text that is not exactly one type is none, for browsers would choose
    /// one of several (Fetch, "extract a MIME type").
    package var servedType: String {
        let essence = contentType.prefix { $0 != ";" }.split(separator: "/", omittingEmptySubsequences: false)
        let isOne =
            essence.count == 2
            && essence.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"()<>@,:\\\"/[]?=".utf8.contains($0) }
            }
        return isOne && !contentType.contains(",") ? contentType : Self.defaultType
    }

    /// Says the media type, unless that is known.
    ///
    /// - Throws: `Failure` `bad_request` for what is none.
    package mutating func suggest(contentType: String?) throws(Failure) {
        guard fields[.contentType] == nil, let contentType, !contentType.isEmpty else { return }
        fields[.contentType] = try Self.checked(contentType, named: "contentType")
    }

    /// Takes in a JSON object as clients send it: null removes, what is not named stays, and what is not known is let pass, as
    /// clients send back all that they were told.
    ///
    /// - Throws: `Failure` `bad_request` for values of other types, for what is too long, and for control characters.
    package mutating func merge(_ json: JSONValue) throws(Failure) {
        guard case .object(let members) = json else {
            throw Failure(.badRequest, "the metadata is no JSON object", hint: "send {} for none")
        }
        for field in Field.allCases {
            switch members[field.rawValue] {
            case nil: break
            case .null?: fields[field] = nil
            case .string(let text)?: fields[field] = try Self.checked(text, named: field.rawValue)
            default: throw Self.notText(field.rawValue)
            }
        }
        switch members["metadata"] {
        case nil: break
        case .null?: custom = [:]
        case .object(let entries)?: try mergeCustom(entries)
        default: throw Failure(.badRequest, "metadata is no object of texts", hint: "send texts by their names")
        }
        if let text = custom.removeValue(forKey: Self.tokensField) { tokens = try Self.tokens(in: text) }
    }

    /// Takes the download tokens that the client has chosen.
    mutating func choose(tokens: [String]) { self.tokens = tokens }

    private mutating func mergeCustom(_ entries: [String: JSONValue]) throws(Failure) {
        for (name, value) in entries {
            switch value {
            case .null: custom[name] = nil
            case .string(let text): custom[name] = text
            default: throw Self.notText("metadata's \(name.prefix(80))")
            }
        }
        let byteCount = custom.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard byteCount <= Self.maxCustomBytes else {
            throw Failure(
                .badRequest, "the custom metadata has \(byteCount) bytes, the limit is \(Self.maxCustomBytes)",
                hint: "note less with the object")
        }
    }

    private static func tokens(in text: String) throws(Failure) -> [String] {
        let tokens = text.split(separator: ",").map(String.init)
        let areGood = tokens.allSatisfy { token in
            token.utf8.count <= maxTokenBytes && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard tokens.count <= maxTokens, areGood else {
            throw Failure(
                .badRequest, "these are no download tokens",
                hint: "send at most \(maxTokens) of at most \(maxTokenBytes) visible ASCII characters")
        }
        return tokens
    }

    private static func checked(_ text: String, named name: String) throws(Failure) -> String {
        guard text.utf8.count <= maxFieldBytes, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 >= 0x80 })
        else {
            throw Failure(
                .badRequest, "\(name) has control characters, or more than \(maxFieldBytes) bytes",
                hint: "send what a header field may have")
        }
        return text
    }

    private static func notText(_ name: String) -> Failure {
        Failure(.badRequest, "\(name) is no text", hint: "send a text, or null to remove it")
    }
}

// MARK: - As it is written

extension ObjectMetadata {
    /// The members of a record that have it, but the tokens.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for (field, text) in fields { members[field.rawValue] = .string(text) }
        if !custom.isEmpty { members["metadata"] = .object(custom.mapValues(JSONValue.string)) }
        return members
    }

    /// Reads the members of a record.
    init(_ record: JSONValue) {
        for field in Field.allCases { fields[field] = record[field.rawValue]?.string }
        if case .object(let entries)? = record["metadata"] { custom = entries.compactMapValues(\.string) }
    }
}
