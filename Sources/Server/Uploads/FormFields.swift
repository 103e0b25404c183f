import HummingbirdCore

/// Named texts, as a query or a body of the type `application/x-www-form-urlencoded` carries them (WHATWG URL §5).
struct FormFields {
    private var values: [String: String] = [:]

    /// Reads `name=value&…`; `+` is a space, `%XX` a byte of UTF-8.
    ///
    /// - Throws: `ServerError` with the code `bad_request` for what cannot be decoded, or is given twice.
    init(urlEncoded text: some StringProtocol) throws(ServerError) {
        for pair in text.split(separator: "&") {
            let parts = Substring(pair).utf8.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0], plusIsSpace: true),
                let value = parts.count > 1 ? PercentEncoding.decode(parts[1], plusIsSpace: true) : ""
            else {
                throw ServerError(
                    .badRequest, "\"\(pair.prefix(80))\" is not percent-encoded UTF-8",
                    hint: "with curl: --get --data-urlencode 'text=…'")
            }
            try set(name, value)
        }
    }

    /// Reads the query of an address.
    init(queryOf uri: URI) throws(ServerError) {
        try self.init(urlEncoded: uri.query ?? "")
    }

    subscript(name: String) -> String? { values[name] }

    /// Takes in one more field.
    ///
    /// - Throws: `ServerError` with the code `bad_request` when it has another value already.
    mutating func set(_ name: String, _ value: String) throws(ServerError) {
        guard values[name] == nil || values[name] == value else {
            throw ServerError(.badRequest, "\(name.prefix(80)) is given twice", hint: "give it once")
        }
        values[name] = value
    }

    /// Takes in the fields of another form.
    mutating func merge(_ other: FormFields) throws(ServerError) {
        for (name, value) in other.values { try set(name, value) }
    }

    /// The field as a truth value; false when it is not there.
    func flag(_ name: String) throws(ServerError) -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true": return true
        case let other?:
            throw ServerError(.badRequest, "\(name)=\(other.prefix(80)) is neither true nor false")
        }
    }
}
