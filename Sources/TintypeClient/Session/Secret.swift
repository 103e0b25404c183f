/// A text that no description, mirror or dump shows, such as a token.
struct Secret: Codable, Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "(hidden)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
