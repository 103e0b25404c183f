import Model
import Server
import TreeModel

// MARK: - Atom 1.0 (RFC 4287)

extension Syndication {
    var atom: [UInt8] {
        var xml = XMLText()
        xml.text += "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        xml.open("feed", ["xmlns": "http://www.w3.org/2005/Atom", "xml:lang": texts.language.rawValue])
        // The id of a feed, unlike that of a post, is its address.
        xml.add("id", address(.atom))
        xml.add("title", subject.title)
        xml.add("subtitle", subject.about)
        xml.add("updated", Moment.full(page.posts.map(\.time).max() ?? .epoch))
        xml.add("generator", "Tintype")
        xml.add("icon", origin + site.path(ofIcon: SiteIcon.smallName))
        xml.add("link", nil, ["rel": "self", "type": FeedAddress.atom, "href": address(.atom, before: before)])
        xml.add("link", nil, ["rel": "alternate", "type": "text/html", "href": home])
        if let next = page.next {
            xml.add("link", nil, ["rel": "next", "type": FeedAddress.atom, "href": address(.atom, before: next)])
        }
        for post in page.posts { add(post, to: &xml) }
        xml.close("feed")
        return Array(xml.text.utf8)
    }

    private func add(_ post: ShownPost, to xml: inout XMLText) {
        xml.open("entry")
        xml.add("id", Self.id(ofPost: post.id))
        xml.add("title", title(of: post))
        xml.add("link", nil, ["rel": "alternate", "type": "text/html", "href": origin + PagePath.post(post.id)])
        xml.add("published", Moment.full(post.time))
        xml.add("updated", Moment.full(post.time))
        xml.open("author")
        xml.add("name", post.name)
        xml.add("uri", origin + PagePath.person(post.uid))
        xml.close("author")
        for tag in Hashtags.tags(in: post.text) { xml.add("category", nil, ["term": tag.string]) }
        for (photo, alt) in attachments(of: post) {
            var attributes = [
                "rel": "enclosure", "type": photo.mediaType, "href": origin + photo.path, "title": alt,
            ]
            if photo.byteCount > 0 { attributes["length"] = "\(photo.byteCount)" }
            xml.add("link", nil, attributes)
        }
        xml.add("content", content(of: post), ["type": "html"])
        xml.close("entry")
    }
}

/// XML 1.0 text; characters that XML does not allow become U+FFFD.
struct XMLText {
    var text = ""

    mutating func open(_ name: String, _ attributes: [String: String] = [:]) {
        text += "<\(name)\(Self.written(attributes))>\n"
    }

    mutating func close(_ name: String) { text += "</\(name)>\n" }

    /// Adds an element with a text; an empty element for nil.
    mutating func add(_ name: String, _ content: String?, _ attributes: [String: String] = [:]) {
        let start = "<\(name)\(Self.written(attributes))"
        text += content.map { "\(start)>\(Self.escape($0))</\(name)>\n" } ?? "\(start)/>\n"
    }

    private static func written(_ attributes: [String: String]) -> String {
        attributes.sorted { $0.key < $1.key }.map { " \($0.key)=\"\(escape($0.value))\"" }.joined()
    }

    static func escape(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            // Unescaped, they would become spaces or line feeds.
            case "\t", "\n", "\r": escaped.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            default: escaped.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return String(escaped)
    }

    /// Whether a scalar from the space on is a Char of XML 1.0 (§2.2).
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        (0x20...0xFFFD).contains(scalar.value) || (0x10000...0x10FFFF).contains(scalar.value)
    }
}
