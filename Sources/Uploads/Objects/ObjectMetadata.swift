package import API
package import TreeModel

/// The metadata that a client sets on an object: its media type, the header fields it is served with, and custom
/// fields.
///
/// Lengths are limited, and values contain no characters that could break out of a header field.
package struct ObjectMetadata: Hashable, Sendable {
    /// The largest size of a field, in bytes.
    package static let maxFieldBytes = 1024
    /// The largest size of the custom metadata, in bytes of names and values together (Google Cloud Storage, "Quotas &
    /// limits").
    package static let maxCustomBytes = 8 << 10
    /// The field of custom metadata by which Firebase's clients set download tokens.
    private static let tokensField = "firebaseStorageDownloadTokens"
    /// The largest size of a download token, in bytes, and the largest number of tokens.
    private static let (maxTokenBytes, maxTokens) = (128, 10)

    /// The fields that are sent as header fields with the object's bytes, by their JSON names.
    package enum Field: String, CaseIterable, Sendable {
        case contentType, contentDisposition, contentEncoding, contentLanguage, cacheControl
    }

    package private(set) var fields: [Field: String] = [:]
    /// The client's custom fields.
    package private(set) var custom: [String: String] = [:]
    /// The download tokens that the client has chosen; may be empty.
    package private(set) var tokens: [String] = []

    package init() {}

    package subscript(field: Field) -> String? { fields[field] }

    /// The media type of an object whose uploader specified none.
    package static let defaultType = "application/octet-stream"
    package var contentType: String { fields[.contentType] ?? Self.defaultType }

    /// The media type with which the object is served. A text that is not exactly one media type is ignored, because
    /// browsers would choose one of several (Fetch, "extract a MIME type").
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

    /// Sets the media type, unless one is set.
    ///
    /// - Throws: `Failure` `bad_request` for a malformed media type.
    package mutating func suggest(contentType: String?) throws(Failure) {
        guard fields[.contentType] == nil, let contentType, !contentType.isEmpty else { return }
        fields[.contentType] = try Self.checked(contentType, named: "contentType")
    }

    /// Merges a JSON object sent by a client: null removes a field, absent fields stay, and unknown fields are ignored,
    /// because clients send back everything that they received.
    ///
    /// - Throws: `Failure` `bad_request` for values of other types, for values that are too long, and for control
    ///   characters.
    package mutating func merge(_ json: JSONValue) throws(Failure) {
        guard case .object(let members) = json else {
            throw Failure(.badRequest, "the metadata is not a JSON object", hint: "Send {} for none.")
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
        default: throw Failure(.badRequest, "metadata is not an object of texts", hint: "Send texts by their names.")
        }
        if let text = custom.removeValue(forKey: Self.tokensField) { tokens = try Self.tokens(in: text) }
    }

    /// Sets the download tokens that the client has chosen.
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
                .badRequest, "the custom metadata has \(byteCount) bytes; the limit is \(Self.maxCustomBytes)",
                hint: "Store less custom metadata with the object.")
        }
    }

    private static func tokens(in text: String) throws(Failure) -> [String] {
        let tokens = text.split(separator: ",").map(String.init)
        let areGood = tokens.allSatisfy { token in
            token.utf8.count <= maxTokenBytes && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard tokens.count <= maxTokens, areGood else {
            throw Failure(
                .badRequest, "the download tokens are too many, too long, or not visible ASCII characters",
                hint: "Send at most \(maxTokens) of at most \(maxTokenBytes) visible ASCII characters.")
        }
        return tokens
    }

    private static func checked(_ text: String, named name: String) throws(Failure) -> String {
        guard text.utf8.count <= maxFieldBytes, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 >= 0x80 })
        else {
            throw Failure(
                .badRequest, "\(name) has control characters or more than \(maxFieldBytes) bytes",
                hint: "Send a text that is valid in a header field.")
        }
        return text
    }

    private static func notText(_ name: String) -> Failure {
        Failure(.badRequest, "\(name) is not a text", hint: "Send a text, or null to remove it.")
    }
}

// MARK: - Encoding

extension ObjectMetadata {
    /// The members of the object's record, without the tokens.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for (field, text) in fields { members[field.rawValue] = .string(text) }
        if !custom.isEmpty { members["metadata"] = .object(custom.mapValues(JSONValue.string)) }
        return members
    }

    /// Reads the members of an object's record.
    init(_ record: JSONValue) {
        for field in Field.allCases { fields[field] = record[field.rawValue]?.string }
        if case .object(let entries)? = record["metadata"] { custom = entries.compactMapValues(\.string) }
    }
}
