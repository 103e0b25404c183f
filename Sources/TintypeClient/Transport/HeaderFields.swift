/// The header fields of a request or an answer. Names are compared without regard to case.
public struct HeaderFields: Hashable, Sendable {
    private var values: [String: String] = [:]

    /// Creates no fields.
    public init() {}

    /// The value of a field; nil for none.
    public subscript(name: String) -> String? {
        get { values[name.lowercased()] }
        set { values[name.lowercased()] = newValue }
    }

    /// The fields in the order of their names, which are in lower case.
    public var sorted: [(name: String, value: String)] {
        values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// Creates fields; of several with one name the last one counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }
}

extension HeaderFields: Codable {
    /// Decodes fields from an object of texts.
    public init(from decoder: any Decoder) throws {
        for (name, value) in try [String: String](from: decoder) { self[name] = value }
    }

    /// Encodes the fields as an object of texts.
    public func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}
