import ArgumentParser
import TreeModel

/// The people that a text mentions.
struct Mentions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A user, and the start and length of the mention in the text, in UTF-16 units.",
            valueName: "uid:start:length"))
    var mention: [String] = []

    /// Returns the mentions in the form of a request.
    func list() throws -> [JSONValue] {
        try mention.map { text in
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 3, let start = Int(parts[1]), let length = Int(parts[2]) else {
                throw ValidationError("--mention needs uid:start:length, such as anna:6:5")
            }
            return ["uid": .string(String(parts[0])), "start": .integer(start), "length": .integer(length)]
        }
    }
}
