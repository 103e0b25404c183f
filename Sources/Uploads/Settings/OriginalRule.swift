package import API
package import TreeModel

/// What becomes of the originals of posts that are old enough: the setting `originals`.
///
/// As a text it is `re-encode,q80,90d` or `drop,365d`: what is done, and how many days after a post began.
package struct OriginalRule: Sendable, Hashable, CustomStringConvertible {
    /// What is done with an original.
    package enum Action: Sendable, Hashable {
        /// It is replaced by a JPEG of the same pixels.
        ///
        /// - Parameter quality: On libjpeg's scale, 1 to 100.
        case reencode(quality: Int)
        /// It is deleted, where the renditions suffice.
        case drop
    }

    /// What is said of the form where a text is none.
    package static let expectation = "keep, re-encode,qN,Nd or drop,Nd, such as re-encode,q80,90d"
    private static let ages = 0...36_500

    package let action: Action
    /// The age of posts from which on it holds, in days.
    package let days: Int

    package init(_ action: Action, days: Int) { (self.action, self.days) = (action, days) }

    /// Reads a text; nil for what is no rule. The word `keep` is the rule that there is none.
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

    /// Reads a rule that somebody has asked for.
    ///
    /// - Throws: `Failure` `bad_request`.
    package static func required(_ text: String) throws(Failure) -> OriginalRule {
        guard let rule = OriginalRule(text) else {
            throw Failure(
                .badRequest, "\"\(text.prefix(80))\" is no rule for originals".printable,
                hint: "such as re-encode,q80,90d or drop,365d")
        }
        return rule
    }

    /// The time before which the posts were made that it is about.
    package func deadline(at now: Timestamp) -> Timestamp { now - .seconds(days * 86_400) }
}
