import ArgumentParser
import TreeModel

/// The people that a text mentions.
struct Mentions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A person, and the start and length of the mention in the text, in UTF-16 units.",
            valueName: "person:start:length"))
    var mention: [String] = []

    func validate() throws { _ = try parts() }

    /// Returns the mentions in the form of a request.
    ///
    /// - Throws: The errors of ``PersonFinder/uid(of:for:)``.
    func list(_ finder: PersonFinder) async throws -> [JSONValue] {
        var list: [JSONValue] = []
        for (person, start, length) in try parts() {
            let uid = try await finder.uid(of: person)
            list.append(["uid": .string(uid), "start": .integer(start), "length": .integer(length)])
        }
        return list
    }

    private func parts() throws -> [(person: String, start: Int, length: Int)] {
        try mention.map { text in
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 3, let start = Int(parts[1]), let length = Int(parts[2]) else {
                throw ValidationError("--mention needs person:start:length, such as anna:6:5")
            }
            return (String(parts[0]), start, length)
        }
    }
}
