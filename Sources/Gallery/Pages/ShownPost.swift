import API
import Foundation
import Model
import Social
import Tree

/// A post as pages and feeds show it: what stands in its record, of which clients may have written anything, as far as it
/// is what it should be.
struct ShownPost: Sendable {
    /// A photo of a post.
    struct Photo: Sendable {
        /// Pixels, upright.
        let width: Int
        let height: Int
        let color: String
        /// A ThumbHash, Base64.
        let placeholder: String
        let alt: String
        /// The smallest first: those that show the whole photo, else all that there are.
        let renditions: [Rendition]

        /// One of each width, for a page to choose from.
        var choices: [Rendition] {
            var widths: Set<Int> = []
            return renditions.filter { widths.insert($0.width).inserted }
        }

        /// The choices of a list: no more than a phone needs, however dense its screen is. `photo.js` has this rule, too.
        var listed: ArraySlice<Rendition> {
            let choices = choices
            guard let last = choices.firstIndex(where: { $0.width >= 700 }) else { return choices[...] }
            return choices[...last]
        }

        /// What a page shows where it can show one alone: of 480 pixels, or of as many as there are.
        var chosen: Rendition? { renditions.first { $0.width >= 480 } ?? renditions.last }

        /// The largest that programs of all kinds can show.
        var shared: Rendition? { renditions.last { $0.contentType == "image/jpeg" } ?? renditions.last }
    }

    /// A size of a photo.
    struct Rendition: Sendable {
        /// Its path and query on this service.
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
    /// When it was published.
    let time: Timestamp
    /// The position in the order of publication; empty where there is none.
    let position: String
    let photos: [Photo]
    let likes: Int64
    let comments: Int64

    /// - Parameter post: As programs get it, with addresses that whoever asks may fetch.
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

    /// Whether it is `#rrggbb`.
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

    /// Of several of one width, those in newer formats come first, which need fewer bytes, and then the better ones.
    fileprivate var order: (Int, Int, Int64) {
        (width, ["image/avif", "image/webp"].contains(contentType) ? 0 : 1, -max(0, byteCount))
    }
}

/// Where the pages reach a file of the service: posts may name it by an address at which the world knows the service, while
/// the page is at another one, and loads nothing from elsewhere.
struct OwnAddress: Sendable {
    /// The path and the query; with no host, and nothing that would end it in a list of addresses.
    let path: String

    /// Nil for what is no address.
    init?(_ url: String) {
        // By bytes, as a character may be a slash with a mark that belongs to the name.
        var bytes = Array(url.utf8)
        if let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) {
            guard let slash = bytes[scheme.utf8.count...].firstIndex(of: UInt8(ascii: "/")) else { return nil }
            bytes.removeFirst(slash)
        }
        // `//host` and `/\host` are addresses on other machines.
        guard bytes.first == UInt8(ascii: "/"), bytes.count > 1, !Array("/\\".utf8).contains(bytes[1]),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && !Array(",\"'<>\\#".utf8).contains($0) })
        else { return nil }
        path = String(decoding: bytes, as: UTF8.self)
    }
}
