import API
import Cryptography
import Files
import Model
import Requests
import Server
import TreeModel

/// A feed: its subject and some posts, with absolute addresses.
struct Syndication {
    /// A feed format.
    enum Form {
        case atom
        case json

        var name: String { self == .atom ? "Atom" : "JSON Feed" }
        var type: String { self == .atom ? FeedAddress.atom : FeedAddress.json }
        var contentType: String { self == .atom ? "\(type); charset=utf-8" : type }
        var fileName: String { self == .atom ? "feed.atom" : "feed.jsonfeed" }
    }

    /// The subject of a feed.
    struct Subject {
        let title: String
        let about: String
        /// The path of the page with the same posts; empty for all posts.
        let path: String
    }

    let subject: Subject
    let page: PageSource.Page
    /// The scheme and the host.
    let origin: String
    /// The cursor at which the feed begins; nil for the newest post.
    let before: String?
    let site: Site
    let texts: PageTexts

    var home: String { origin + (subject.path.isEmpty ? "/" : subject.path) }

    func address(_ form: Form, before cursor: String? = nil) -> String {
        let query = cursor.map { "?before=\(PercentEncoding.encode($0.utf8))" } ?? ""
        return "\(origin)\(subject.path)/\(form.fileName)\(query)"
    }

    /// Returns the id of a post in all feeds, which does not depend on the address of the service: feed readers would
    /// show all posts again if it changed with the host. A post's own id is not a registered kind of name; this is a
    /// UUID created from it (RFC 9562 §5.8).
    static func id(ofPost id: String) -> String {
        var digits = Array(sha256(of: Array("tintype post \(id)".utf8)).prefix(32))
        digits[12] = "8"
        digits[16] = "8"
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        return "urn:uuid:\(parts.joined(separator: "-"))"
    }

    func title(of post: ShownPost) -> String {
        post.text.isEmpty ? texts.text("post.by", ["name": post.name]) : post.text.excerpt(80)
    }

    /// Returns the photos of a post, each in the size for feeds.
    func attachments(of post: ShownPost) -> [(photo: ShownPost.Rendition, alt: String)] {
        post.photos.enumerated().compactMap { index, photo in
            photo.shared.map { ($0, post.alt(of: photo, index, texts)) }
        }
    }

    /// Returns the post as HTML: its photos, and its text with links.
    func content(of post: ShownPost) -> String {
        let link = Self.attribute("href", origin + PagePath.post(post.id))
        let photos = attachments(of: post).map { photo, alt in
            let image = [
                Self.attribute("src", origin + photo.path), Self.attribute("width", "\(photo.width)"),
                Self.attribute("height", "\(photo.height)"), Self.attribute("alt", alt),
            ].joined(separator: " ")
            return "<p><a \(link)><img \(image)></a></p>"
        }
        guard !post.text.isEmpty else { return photos.joined() }
        let words = PostTextParts(post.text, post.mentions).parts.map { part in
            let text = Self.lines(part.text)
            guard let address = part.address ?? part.path.map({ origin + $0 }) else { return text }
            return "<a \(Self.attribute("href", address))>\(text)</a>"
        }
        return photos.joined() + "<p>\(words.joined())</p>"
    }

    private static func attribute(_ name: String, _ value: String) -> String {
        "\(name)=\"\(ScalarHTML.escape(value))\""
    }

    private static func lines(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { ScalarHTML.escape(String($0)) }.joined(separator: "<br>")
    }
}

// MARK: - JSON Feed 1.1

extension Syndication {
    var json: [UInt8] {
        var feed: JSONValue = [
            "version": "https://jsonfeed.org/version/1.1", "title": .string(subject.title),
            "description": .string(subject.about), "home_page_url": .string(home),
            "feed_url": .string(address(.json, before: before)), "language": .string(texts.language.rawValue),
            "icon": .string(origin + site.path(ofIcon: "icon-512.png")),
            "favicon": .string(origin + site.path(ofIcon: SiteIcon.smallName)), "items": .list(page.posts.map(item)),
        ]
        feed["next_url"] = page.next.map { .string(address(.json, before: $0)) }
        return feed.json()
    }

    private func item(_ post: ShownPost) -> JSONValue {
        var author: JSONValue = [
            "name": .string(post.name), "url": .string(origin + PagePath.person(post.uid)),
        ]
        author["avatar"] = post.picture.map { .string(origin + $0) }
        var item: JSONValue = [
            "id": .string(Self.id(ofPost: post.id)), "url": .string(origin + PagePath.post(post.id)),
            "content_html": .string(content(of: post)), "date_published": .string(Moment.full(post.time)),
            "authors": [author],
        ]
        if !post.text.isEmpty { item["content_text"] = .string(post.text) }
        let tags = Hashtags.tags(in: post.text)
        if !tags.isEmpty { item["tags"] = .list(tags.map { .string($0.string) }) }
        let photos = attachments(of: post)
        guard let first = photos.first else { return item }
        item["image"] = .string(origin + first.photo.path)
        item["attachments"] = .list(
            photos.map { photo, alt in
                var attachment: JSONValue = [
                    "url": .string(origin + photo.path), "mime_type": .string(photo.mediaType), "title": .string(alt),
                ]
                if photo.byteCount > 0 { attachment["size_in_bytes"] = .integer(Int(photo.byteCount)) }
                return attachment
            })
        return item
    }
}

extension ShownPost.Rendition {
    /// The content type; if the record does not contain it, the one that all renditions had before it was recorded.
    var mediaType: String { contentType.isEmpty ? "image/jpeg" : contentType }
}
