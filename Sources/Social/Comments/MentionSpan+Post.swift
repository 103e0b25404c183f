import Model
package import Tree

extension TreeValue {
    /// The post in its public form: its valid mentions as a list in the order of the text, in both units.
    package var withShownMentions: TreeValue {
        guard var fields = object, let written = fields["mentions"] else { return self }
        let spans = MentionSpan.read(written, of: fields["text"]?.stringValue ?? "")
        var shown: [TreeKey: TreeValue] = [:]
        for (number, span) in spans.enumerated() {
            shown[TreeKey(unchecked: "\(number)")] = [
                "uid": .string(span.uid.description), "start": .integer(Int64(span.start)),
                "length": .integer(Int64(span.length)), "character_start": .integer(Int64(span.characterStart)),
                "character_length": .integer(Int64(span.characterLength)),
            ]
        }
        fields["mentions"] = shown.isEmpty ? nil : .object(shown)
        return .object(fields)
    }
}
