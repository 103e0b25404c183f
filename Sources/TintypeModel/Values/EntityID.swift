/// The id of an entity, which is the key of its node in the tree: a text that is never empty in the service's documents.
///
/// Each entity has a type of ids of its own, such as `Post.ID`, so that the id of a post is not taken for the id of a
/// person.
public struct EntityID<Subject>: RawRepresentable, Hashable, Sendable {
    /// The id as the service writes it.
    public let rawValue: String

    /// Creates an id from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an id from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension EntityID: ExpressibleByStringInterpolation {
    /// Creates an id from a literal.
    public init(stringLiteral value: String) { self.init(value) }
}

extension EntityID: LosslessStringConvertible {
    /// The id as the service writes it.
    public var description: String { rawValue }
}

extension EntityID: Comparable {
    /// Whether one id precedes another in the order of their bytes. Ids that the service has made are then in the order
    /// of time.
    public static func < (left: EntityID, right: EntityID) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}

extension EntityID: Codable {
    /// Decodes an id from a string.
    ///
    /// - Throws: `DecodingError` for an empty string, and for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        rawValue = try container.decode(String.self)
        guard rawValue.isEmpty else { return }
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "the id is empty")
    }

    /// Encodes the id as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// Ids are the keys of JSON objects in dictionaries.
extension EntityID: CodingKeyRepresentable {
    /// The id as a key.
    public var codingKey: any CodingKey { FieldName(rawValue) }

    /// Creates an id from a key; nil for an empty one.
    public init?(codingKey: some CodingKey) {
        guard !codingKey.stringValue.isEmpty else { return nil }
        self.init(codingKey.stringValue)
    }
}
