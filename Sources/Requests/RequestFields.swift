package import API
package import HummingbirdCore

/// Named texts, as a query or a body of the type `application/x-www-form-urlencoded` carries them (WHATWG URL §5).
///
/// Only fields that are known are taken: what a sender believes to have said must not be lost without a word.
package struct RequestFields: Sendable {
    /// The fields that are known, in the order in which people are told of them.
    private let names: [String]
    /// Those that may be given several times.
    private let lists: Set<String>
    private var values: [String: [String]] = [:]

    /// No fields, where none are known.
    package static let none = RequestFields(names: [], lists: [])

    private init(names: [String], lists: Set<String>) {
        self.names = names
        self.lists = lists
    }

    /// Reads the query of an address.
    ///
    /// - Throws: As ``read(urlEncoded:)``.
    package init(queryOf uri: URI, names: [String], lists: Set<String> = []) throws(Failure) {
        try self.init(urlEncoded: uri.query ?? "", names: names, lists: lists)
    }

    /// Reads `name=value&…`; `+` is a space, `%XX` a byte of UTF-8.
    ///
    /// - Throws: As ``read(urlEncoded:)``.
    package init(urlEncoded text: String, names: [String], lists: Set<String> = []) throws(Failure) {
        self.names = names
        self.lists = lists
        try read(urlEncoded: text)
    }

    /// Takes in more fields of that form.
    ///
    /// - Throws: `Failure` with the code `bad_request` for what cannot be decoded, is not known, or is given twice.
    package mutating func read(urlEncoded text: String) throws(Failure) {
        for field in URLEncodedFields(text) {
            guard let name = field.name, let value = field.value else {
                throw Failure(
                    .badRequest, "\"\(field.text.prefix(80))\" is not percent-encoded UTF-8",
                    hint: "with curl: --get --data-urlencode 'text=…'")
            }
            try set(name, value)
        }
    }

    package subscript(name: String) -> String? { values[name]?.first }

    /// All that was given under the name, in its order.
    package func list(_ name: String) -> [String] { values[name] ?? [] }

    /// Takes in one more field.
    ///
    /// - Throws: `Failure` with the code `bad_request` when it is not known, or has another value already and is none of
    ///   those that may be given several times.
    package mutating func set(_ name: String, _ value: String) throws(Failure) {
        guard names.contains(name) else { throw unknown(name) }
        if lists.contains(name) {
            values[name, default: []].append(value)
            return
        }
        guard values[name] == nil || values[name] == [value] else {
            throw Failure(.badRequest, "\(name.prefix(80)) is given twice", hint: "give it once")
        }
        values[name] = [value]
    }

    /// Takes in a field that may be given several times.
    ///
    /// - Throws: `Failure` with the code `bad_request` when it is not known, or may be given only once.
    package mutating func set(_ name: String, list: [String]) throws(Failure) {
        guard names.contains(name) else { throw unknown(name) }
        guard lists.contains(name) else {
            throw Failure(.badRequest, "\(name.prefix(80)) is a list", hint: "give one text")
        }
        values[name, default: []] += list
    }

    /// Hands a field out, so that it can be given anew.
    package mutating func take(_ name: String) -> String? { values.removeValue(forKey: name)?.first }

    private func unknown(_ name: String) -> Failure {
        let hint =
            if name.hasPrefix("{") {
                "say what JSON is: -H 'Content-Type: application/json'"
            } else if names.isEmpty {
                "there are none"
            } else {
                "there are \(names.joined(separator: ", "))"
            }
        return Failure(.badRequest, "there is no field \"\(name.prefix(80))\" here", hint: hint)
    }

    /// The field as a truth value; false when it is not there.
    package func flag(_ name: String) throws(Failure) -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true": return true
        case let other?:
            throw Failure(.badRequest, "\(name)=\(other.prefix(80)) is neither true nor false")
        }
    }
}
