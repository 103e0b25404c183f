import Foundation
import Model
import Social
import Tree

/// The values of posts and comments for templates.
extension ShownPost {
    /// The position of a post in a page.
    struct Position {
        /// The index of the post in the page.
        let index: Int
        /// Whether the post is alone, and shown large.
        var isAlone = false

        /// The width of its photos, as defined in `page.css`, or in `viewer.css` once scripts have drawn it.
        fileprivate var sizes: String {
            isAlone ? "(max-width: 60rem) 100vw, 60rem" : "(max-width: 33rem) 100vw, (max-width: 52rem) 50vw, 20rem"
        }
    }

    func values(_ position: Position, _ texts: PageTexts) -> [String: Any] {
        var values: [String: Any] = [
            "id": id, "position": position, "uid": uid, "name": name, "likes": likes, "comments": comments,
            "time": time.milliseconds, "link": PagePath.post(id), "authorLink": PagePath.person(uid),
            "moment": Moment.full(time),
            "day": Moment.day(time), "hasText": !text.isEmpty, "parts": PostTextParts(text, mentions).values,
            "photos": photos.enumerated().compactMap {
                self.values(of: $0.element, $0.offset, position, texts)
            },
        ]
        values["picture"] = picture
        return values
    }

    private func values(of photo: Photo, _ index: Int, _ position: Position, _ texts: PageTexts) -> [String: Any]? {
        guard let chosen = photo.chosen else { return nil }
        let choices = position.isAlone ? photo.choices[...] : photo.listed
        var values: [String: Any] = [
            "source": chosen.path, "sizes": position.sizes, "width": photo.width, "height": photo.height,
            "sources": Self.sources(choices), "isFirst": position.index == 0 && index == 0,
            "alt": alt(of: photo, index, texts), "hash": photo.placeholder, "color": photo.color,
        ]
        // Further renditions, for scripts.
        let larger = photo.choices[choices.endIndex...]
        if !larger.isEmpty { values["larger"] = Self.sources(larger) }
        if !photo.alt.isEmpty { values["ownAlt"] = photo.alt }
        return values
    }

    /// Returns renditions to choose from, in the form of the attribute `srcset`.
    private static func sources(_ renditions: ArraySlice<Rendition>) -> String {
        renditions.map { "\($0.path) \($0.width)w" }.joined(separator: ", ")
    }

    /// Returns the alternative text of a photo; if it has none, a text with its number and the author's name.
    func alt(of photo: Photo, _ index: Int, _ texts: PageTexts) -> String {
        photo.alt.isEmpty ? texts.text("photo.alt", ["index": "\(index + 1)", "name": name]) : photo.alt
    }
}

extension PostTextParts {
    var values: [[String: Any]] {
        parts.map { part in
            var values: [String: Any] = ["text": part.text]
            values["href"] = part.path ?? part.address
            if part.address != nil { values["rel"] = "nofollow noopener ugc" }
            if let mention = part.mention {
                values["mentioned"] = "\(mention.uid)"
                values["start"] = mention.start
                values["length"] = mention.length
            }
            return values
        }
    }
}

extension Comment {
    var pageValues: [String: Any] {
        [
            "id": id.string, "name": fullName ?? author, "authorLink": PagePath.person(author),
            "moment": Moment.full(timestamp), "day": Moment.day(timestamp),
            "parts": PostTextParts(text, mentions).values,
        ]
    }
}

/// Times in the form of pages and feeds, in UTC (RFC 3339).
enum Moment {
    /// The years from 1 to 9999, in milliseconds: other times have no such form.
    private static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_000

    static func full(_ moment: Timestamp) -> String {
        let time = min(max(moment.milliseconds, range.lowerBound), range.upperBound)
        return Date(timeIntervalSince1970: Double(time) / 1000).formatted(.iso8601)
    }

    static func day(_ moment: Timestamp) -> String { String(full(moment).prefix { $0 != "T" }) }
}
