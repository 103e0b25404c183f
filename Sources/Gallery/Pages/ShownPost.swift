import API
import Foundation
import Model
import Social
import Tree

/// A post as pages and feeds show it: the valid parts of its record, in which clients may have written anything.
struct ShownPost: Sendable {
    /// A photo of a post.
    struct Photo: Sendable {
        /// The width of the upright picture, in pixels.
        let width: Int
        let height: Int
        let color: String
        /// The ThumbHash, in Base64.
        let placeholder: String
        let alt: String
        /// The renditions that show the whole photo, or else all; the smallest first.
        let renditions: [Rendition]

        /// The renditions for a page to choose from, one for each width.
        var choices: [Rendition] {
            var widths: Set<Int> = []
            return renditions.filter { widths.insert($0.width).inserted }
        }

        /// The choices in a list: no more than a phone needs, for any density of its screen. `photo.js` has the same
        /// rule.
        var listed: ArraySlice<Rendition> {
            let choices = choices
            guard let last = choices.firstIndex(where: { $0.width >= 700 }) else { return choices[...] }
            return choices[...last]
        }

        /// The single rendition for a page without a choice: 480 pixels wide, or as wide as there is.
        var chosen: Rendition? { renditions.first { $0.width >= 480 } ?? renditions.last }

        /// The largest rendition that all kinds of programs can show.
        var shared: Rendition? { renditions.last { $0.contentType == "image/jpeg" } ?? renditions.last }
    }

    /// A rendition of a photo.
    struct Rendition: Sendable {
        /// The path and query on this service.
        let path: String
        let width: Int
        let height: Int
        let contentType: String
        let byteCount: Int64
    }

    let id: String
    let uid: String
    let name: String
    /// The path of the author's picture.
    let picture: String?
    let text: String
    let mentions: [MentionSpan]
    /// The time of publication.
    let time: Timestamp
    /// The position in the order of publication; empty if there is none.
    let position: String
    let photos: [Photo]
    let likes: Int64
    let comments: Int64

    /// - Parameter post: The post as programs receive it, with addresses that the requester may fetch.
    init(_ item: FeedItem, _ post: TreeValue) {
        id = item.id.string
        uid = post["author"]?["uid"]?.stringValue ?? ""
        let fullName = post["author"]?["full_name"]?.stringValue ?? ""
        name = fullName.isEmpty ? uid : fullName
        picture = post["author"]?["profile_picture"]?.stringValue.flatMap(OwnAddress.init)?.path
        text = post["text"]?.stringValue ?? ""
        mentions = MentionSpan.read(item.record["mentions"], of: text)
        time = Timestamp(milliseconds: Int64(post["timestamp"]?.doubleValue ?? 0))
        position = post["published"].map { $0.stringValue ?? $0.integerValue.map { "\($0)" } ?? "" } ?? ""
        let records = (post["photos"]?.object ?? [:]).sorted {
            Int($0.key.string) ?? 0 < Int($1.key.string) ?? 0
        }
        photos = records.compactMap { Photo($0.value) }
        (likes, comments) = item.counts ?? (0, 0)
    }
}

extension ShownPost.Photo {
    fileprivate init?(_ record: TreeValue) {
        guard let width = record["width"]?.doubleValue, let height = record["height"]?.doubleValue,
            (1...1e9).contains(width), (1...1e9).contains(height)
        else { return nil }
        self.width = Int(width)
        self.height = Int(height)
        color = record["color"]?.stringValue.flatMap { Self.isColor($0) ? $0 : nil } ?? ""
        placeholder = record["placeholder"]?.stringValue ?? ""
        alt = record["alt"]?.stringValue ?? ""
        let all = (record["renditions"]?.object ?? [:]).sorted { $0.key < $1.key }
            .compactMap { ShownPost.Rendition($0.value) }.sorted { $0.order < $1.order }
        let whole = all.filter { abs(Double($0.width) / Double($0.height) - width / height) < 0.05 }
        renditions = whole.isEmpty ? all : whole
    }

    /// Whether a text is `#rrggbb`.
    private static func isColor(_ text: String) -> Bool {
        text.utf8.count == 7 && text.utf8.first == UInt8(ascii: "#")
            && text.utf8.dropFirst().allSatisfy { Array("0123456789abcdefABCDEF".utf8).contains($0) }
    }
}

extension ShownPost.Rendition {
    fileprivate init?(_ record: TreeValue) {
        guard let path = record["url"]?.stringValue.flatMap(OwnAddress.init)?.path,
            let width = record["width"]?.doubleValue, let height = record["height"]?.doubleValue,
            (1...1e9).contains(width), (1...1e9).contains(height)
        else { return nil }
        self.path = path
        self.width = Int(width)
        self.height = Int(height)
        contentType = record["content_type"]?.stringValue ?? ""
        byteCount = record["bytes"]?.integerValue ?? 0
    }

    /// The sort key for several renditions of one width: newer formats first, which need fewer bytes, then better
    /// quality.
    fileprivate var order: (Int, Int, Int64) {
        (width, ["image/avif", "image/webp"].contains(contentType) ? 0 : 1, -max(0, byteCount))
    }
}

/// The address of a file on the host of the page. Posts may name a file by the service's public address, while the page
/// is at another one, and loads nothing from elsewhere.
struct OwnAddress: Sendable {
    /// The path and the query, without a host, and without characters that would end it in a list of addresses.
    let path: String

    /// Reads an address; nil if it is invalid.
    init?(_ url: String) {
        // By bytes: a slash followed by a combining mark is one character.
        var bytes = Array(url.utf8)
        if let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) {
            guard let slash = bytes[scheme.utf8.count...].firstIndex(of: UInt8(ascii: "/")) else { return nil }
            bytes.removeFirst(slash)
        }
        // `//host` and `/\host` are addresses on other hosts.
        guard bytes.first == UInt8(ascii: "/"), bytes.count > 1, !Array("/\\".utf8).contains(bytes[1]),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && !Array(",\"'<>\\#".utf8).contains($0) })
        else { return nil }
        path = String(decoding: bytes, as: UTF8.self)
    }
}
