package import API
package import TreeModel

/// The rule for originals of posts beyond a certain age: the setting `originals`.
///
/// Its text form is `re-encode,q80,90d` or `drop,365d`: the action, and the number of days after the post was begun.
package struct OriginalRule: Sendable, Hashable, CustomStringConvertible {
    /// The action on an original.
    package enum Action: Sendable, Hashable {
        /// Replaces the original by a JPEG of the same pixels.
        ///
        /// - Parameter quality: The quality on libjpeg's scale, 1 to 100.
        case reencode(quality: Int)
        /// Deletes the original if the renditions suffice.
        case drop
    }

    /// The description of the text form, for messages about malformed ones.
    package static let expectation = "keep, re-encode,qN,Nd or drop,Nd, such as re-encode,q80,90d"
    private static let ages = 0...36_500

    package let action: Action
    /// The age from which the rule applies to a post, in days.
    package let days: Int

    package init(_ action: Action, days: Int) { (self.action, self.days) = (action, days) }

    /// Reads a text; nil if it is not a rule. The word `keep` stands for no rule.
    package init?(_ text: String) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        guard let last = words.last, last.hasSuffix("d"), let days = Int(last.dropLast()), Self.ages.contains(days)
        else { return nil }
        switch words.first {
        case "drop" where words.count == 2: self.init(.drop, days: days)
        case "re-encode" where words.count == 3:
            guard words[1].hasPrefix("q"), let quality = Int(words[1].dropFirst()), (1...100).contains(quality) else {
                return nil
            }
            self.init(.reencode(quality: quality), days: days)
        default: return nil
        }
    }

    package var description: String {
        switch action {
        case .reencode(let quality): "re-encode,q\(quality),\(days)d"
        case .drop: "drop,\(days)d"
        }
    }

    /// Reads a rule from a request.
    ///
    /// - Throws: `Failure` `bad_request`.
    package static func required(_ text: String) throws(Failure) -> OriginalRule {
        guard let rule = OriginalRule(text) else {
            throw Failure(
                .badRequest, "\"\(text.prefix(80))\" is not a rule for originals".printable,
                hint: "Write a rule such as re-encode,q80,90d or drop,365d.")
        }
        return rule
    }

    /// Returns the time before which posts must have been begun for the rule to apply.
    package func deadline(at now: Timestamp) -> Timestamp { now - .seconds(days * 86_400) }
}
