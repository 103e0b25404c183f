/// A position in a list of the service, where a page begins or ends. Its text is opaque.
public struct Cursor: RawRepresentable, Codable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The cursor as the service writes it.
    public let rawValue: String

    /// Creates a cursor from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a cursor from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Creates a cursor from a literal.
    public init(stringLiteral value: String) { self.init(value) }
}
