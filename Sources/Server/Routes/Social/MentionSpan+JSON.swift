import API
import Requests
import Social
import TreeModel

extension MentionSpan.Claim {
    /// Parses a list of mentions, each with `uid`, `start` and `length`, and optionally with the characters, as in
    /// responses.
    ///
    /// - Throws: `Failure` with the code `bad_mention`.
    static func read(_ value: JSONValue) throws(Failure) -> [MentionSpan.Claim] {
        guard case .list(let elements) = value else {
            throw Failure(
                .badMention, "mentions is not a list", hint: #"Write it as [{"uid":"ann","start":6,"length":4}]."#)
        }
        let names = ["uid", "start", "length", "character_start", "character_length"]
        var claims: [MentionSpan.Claim] = []
        for (index, element) in elements.enumerated() {
            guard case .object(let members) = element, members.keys.allSatisfy(names.contains),
                let uid = members["uid"]?.string, let start = members["start"]?.integer,
                let length = members["length"]?.integer
            else {
                throw Failure(
                    .badMention, "mentions/\(index) is not a mention",
                    hint: "Give it uid, and start and length in UTF-16 units.")
            }
            claims.append(
                MentionSpan.Claim(
                    uid: uid, start: start, length: length, characterStart: members["character_start"]?.integer,
                    characterLength: members["character_length"]?.integer))
        }
        return claims
    }
}

extension Schema {
    /// The schema of a list of mentions, each with its position in the text.
    static let mentions = Schema.list(
        of: .object([
            "uid": .userID, "start": .integer(0...Int(Int32.max)), "length": .integer(1...Int(Int32.max)),
            "character_start": .integer(0...Int(Int32.max)), "character_length": .integer(1...Int(Int32.max)),
        ]).named("NewMention"))
}
