package import API
package import HummingbirdCore

/// Named texts, as in a query or a body of the type `application/x-www-form-urlencoded` (WHATWG URL §5).
///
/// Only known fields are accepted, so that no field of a sender is ignored silently.
package struct RequestFields: Sendable {
    /// The known fields, in the order in which error messages list them.
    private let names: [String]
    /// The fields that may be given several times.
    private let lists: Set<String>
    private var values: [String: [String]] = [:]

    /// An instance that accepts no fields.
    package static let none = RequestFields(names: [], lists: [])

    private init(names: [String], lists: Set<String>) {
        self.names = names
        self.lists = lists
    }

    /// Parses the query of an address.
    ///
    /// - Throws: See ``read(urlEncoded:)``.
    package init(queryOf uri: URI, names: [String], lists: Set<String> = []) throws(Failure) {
        try self.init(urlEncoded: uri.query ?? "", names: names, lists: lists)
    }

    /// Parses `name=value&…`; `+` is a space, `%XX` a byte of UTF-8.
    ///
    /// - Throws: See ``read(urlEncoded:)``.
    package init(urlEncoded text: String, names: [String], lists: Set<String> = []) throws(Failure) {
        self.names = names
        self.lists = lists
        try read(urlEncoded: text)
    }

    /// Adds more fields of that form.
    ///
    /// - Throws: `Failure` with the code `bad_request` for a field that cannot be decoded, is unknown, or is given
    ///   twice.
    package mutating func read(urlEncoded text: String) throws(Failure) {
        for field in URLEncodedFields(text) {
            guard let name = field.name, let value = field.value else {
                throw Failure(
                    .badRequest, "\"\(field.text.prefix(80))\" is not percent-encoded UTF-8",
                    hint: "Use curl with --get --data-urlencode 'text=…'.")
            }
            try set(name, value)
        }
    }

    package subscript(name: String) -> String? { values[name]?.first }

    /// Returns the values of a name, in their order.
    package func list(_ name: String) -> [String] { values[name] ?? [] }

    /// Adds a field.
    ///
    /// - Throws: `Failure` with the code `bad_request` if the field is unknown, or has another value already and may
    ///   not be given several times.
    package mutating func set(_ name: String, _ value: String) throws(Failure) {
        guard names.contains(name) else { throw unknown(name) }
        if lists.contains(name) {
            values[name, default: []].append(value)
            return
        }
        guard values[name] == nil || values[name] == [value] else {
            throw Failure(.badRequest, "\(name.prefix(80)) is given twice", hint: "Give it once.")
        }
        values[name] = [value]
    }

    /// Adds a field that may be given several times.
    ///
    /// - Throws: `Failure` with the code `bad_request` if the field is unknown, or may be given only once.
    package mutating func set(_ name: String, list: [String]) throws(Failure) {
        guard names.contains(name) else { throw unknown(name) }
        guard lists.contains(name) else {
            throw Failure(.badRequest, "\(name.prefix(80)) is a list", hint: "Give one text.")
        }
        values[name, default: []] += list
    }

    /// Removes and returns a field's first value, so that the field can be set again.
    package mutating func take(_ name: String) -> String? { values.removeValue(forKey: name)?.first }

    private func unknown(_ name: String) -> Failure {
        let hint =
            if name.hasPrefix("{") {
                "Declare JSON with -H 'Content-Type: application/json'."
            } else if names.isEmpty {
                "Send no fields."
            } else {
                "Use only these: \(names.joined(separator: ", "))."
            }
        return Failure(.badRequest, "there is no field \"\(name.prefix(80))\" here", hint: hint)
    }

    /// Returns the field as a truth value; false if it is missing.
    package func flag(_ name: String) throws(Failure) -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true": return true
        case let other?:
            throw Failure(.badRequest, "\(name)=\(other.prefix(80)) is neither true nor false")
        }
    }
}
