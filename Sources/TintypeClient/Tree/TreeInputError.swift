/// A path, a key, a value or a query that the tree cannot have: a mistake that is found before anything is sent.
public struct TreeInputError: Error, Hashable, Sendable {
    /// The text that is wrong, such as a key; shortened to 80 characters.
    public let input: String
    /// The reason, for developers.
    public let reason: String

    init(_ input: String, _ reason: String) { (self.input, self.reason) = (String(input.prefix(80)), reason) }
}

extension TreeInputError: CustomStringConvertible {
    /// The text that is wrong, and the reason.
    public var description: String { "\"\(input)\" \(reason)" }
}
