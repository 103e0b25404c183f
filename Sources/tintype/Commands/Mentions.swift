import ArgumentParser
import TreeModel

/// The people that a text mentions.
struct Mentions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Whom a part of the text stands for: a user, and where it starts and how long it is, in UTF-16 units.",
            valueName: "uid:start:length"))
    var mention: [String] = []

    /// The mentions as a request has them.
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
