import Model
import Requests
import Social
import Tree

/// A text in parts: plain ones, and links.
struct PostTextParts: Sendable {
    struct Part: Sendable {
        let text: String
        /// The path of the link; nil for a part that does not link to a page of the service.
        var path: String?
        /// The address of a link to another site.
        var address: String?
        /// The mentioned person, with the range in UTF-16 units.
        var mention: MentionSpan?
    }

    let parts: [Part]

    init(_ text: String, _ mentions: [MentionSpan]) {
        var links: [(range: Range<String.Index>, path: String?, mention: MentionSpan?)] = mentions.compactMap { span in
            let units = text.utf16
            guard let start = units.index(units.startIndex, offsetBy: span.start, limitedBy: units.endIndex),
                let end = units.index(start, offsetBy: span.length, limitedBy: units.endIndex)
            else { return nil }
            return (start..<end, PagePath.person("\(span.uid)"), span)
        }
        for (range, tag) in Hashtags.places(in: text) where !links.contains(where: { $0.range.overlaps(range) }) {
            links.append((range, PagePath.tag(tag.string), nil))
        }
        for range in WebAddresses.places(in: text) where !links.contains(where: { $0.range.overlaps(range) }) {
            links.append((range, nil, nil))
        }
        links.sort { $0.range.lowerBound < $1.range.lowerBound }
        var parts: [Part] = []
        var position = text.startIndex
        for link in links where link.range.lowerBound >= position {
            if position < link.range.lowerBound {
                parts.append(Part(text: String(text[position..<link.range.lowerBound])))
            }
            let words = String(text[link.range])
            let address = link.path == nil ? words : nil
            parts.append(Part(text: words, path: link.path, address: address, mention: link.mention))
            position = link.range.upperBound
        }
        if position < text.endIndex { parts.append(Part(text: String(text[position...]))) }
        self.parts = parts
    }
}

/// The paths of the pages.
enum PagePath {
    static let all = "/all"

    static func post(_ id: String) -> String { "/posts/\(PercentEncoding.encode(id.utf8))" }
    static func person(_ uid: String) -> String { "/people/\(PercentEncoding.encode(uid.utf8))" }
    static func tag(_ tag: String) -> String { "/tags/\(PercentEncoding.encode(tag.utf8))" }
}
