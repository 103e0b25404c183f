import API
import Foundation
import HTTPTypes
import Hummingbird
import Model
package import Requests
import Server
import Transport
import TreeModel

/// The routes for other sites: `/oembed` describes a post (oEmbed 1.0), and `/embed.js` shows a feed in a page.
package struct EmbedRoutes: Sendable {
    let source: PageSource

    package init(source: PageSource) {
        self.source = source
    }

    private static let module = Asset("embed.js", PageFiles["embed.js"])
    /// The time for which a description may be cached, in seconds.
    private static let maxAge = 3600

    package func add(to routes: inout RouteTable) {
        let tell = Endpoint(
            "getEmbed", in: .syndication, "Describe a post for embedding (oEmbed 1.0)",
            [
                Parameter.query("url", .text, "the address of a post's page").required,
                .query("maxwidth", .integer(1...Int(Int32.max)), "the largest width of a picture"),
                .query("maxheight", .integer(1...Int(Int32.max)), "the largest height of a picture"),
                .query("format", .text, "`json`, the only format"),
            ], answers: [.json(Self.embed)],
            errors: [.permissionDenied, .notFound, .codingNotSupported], ignoresQuery: true, run: tell)
        routes.add("/oembed", [.get: tell])
        let module = Endpoint { request, _ in
            // The allowed origins determine which pages may import it.
            Self.module.response(to: request, headers: [.crossOriginResourcePolicy: "cross-origin"])
        }
        routes.add("/embed.js", [.get: module])
    }

    private static let embed = Schema.object(
        [
            "version": .text, "type": .text, "title": .text, "author_name": .text, "author_url": .text,
            "provider_name": .text, "provider_url": .text, "cache_age": .count, "url": .text, "width": .count,
            "height": .count, "thumbnail_url": .text, "thumbnail_width": .count, "thumbnail_height": .count,
        ], required: ["version", "type", "title"]
    ).named("Embed")

    @Sendable private func tell(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard (request.queryText("format") ?? "json") == "json" else {
            throw Failure(
                .codingNotSupported, "descriptions of posts are available as JSON only", hint: "Write format=json.")
        }
        let origin = source.origin(request, context)
        let origins = [origin, "http://\(request.head.authority ?? "localhost")"]
        guard let id = request.queryText("url").flatMap({ Self.post(at: $0, of: origins) }) else {
            throw Failure(
                .notFound, "url is not the address of a post",
                hint: "Request /oembed?url=https%3A%2F%2F…%2Fposts%2F… instead.")
        }
        let (post, _) = try await source.post(id, context)
        let site = source.site.value
        let limit = (width: Self.length(request, "maxwidth"), height: Self.length(request, "maxheight"))
        var headers: HTTPFields = [.cacheControl: "no-cache"]
        headers.vary(by: PageLanguage.vary)
        return .json(Self.document(of: post, origin, site.name, site.texts(for: request), limit), headers: headers)
    }

    /// Returns the post whose page has the address.
    private static func post(at url: String, of origins: [String]) -> PostID? {
        // The scheme may be `https` or `http`: there may be a proxy in front.
        guard let parts = URLComponents(string: url), ["http", "https"].contains(parts.scheme?.lowercased()),
            let host = parts.host?.lowercased(),
            origins.compactMap({ URLComponents(string: $0) })
                .contains(where: { $0.host?.lowercased() == host && (parts.port == nil || parts.port == $0.port) }),
            parts.path.hasPrefix("/posts/")
        else { return nil }
        return PostID(String(parts.path.dropFirst("/posts/".count)))
    }

    /// Returns the limit of a length, in pixels.
    private static func length(_ request: Request, _ name: String) -> Int {
        request.queryText(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? .max
    }

    private static func document(
        of post: ShownPost, _ origin: String, _ provider: String, _ texts: PageTexts, _ limit: (width: Int, height: Int)
    ) -> JSONValue {
        let by = texts.text("post.by", ["name": post.name])
        var document: JSONValue = [
            "version": "1.0", "type": "link", "title": .string(post.text.isEmpty ? by : post.text.excerpt(200)),
            "author_name": .string(post.name), "author_url": .string(origin + PagePath.person(post.uid)),
            "provider_name": .string(provider), "provider_url": .string("\(origin)/"), "cache_age": .integer(maxAge),
        ]
        // For an album, the first photo: few consumers would show anything else.
        guard let photo = post.photos.first, let shown = photo.fitting(limit), let small = photo.smallest else {
            return document
        }
        document["type"] = "photo"
        document["url"] = .string(origin + shown.rendition.path)
        document["width"] = .integer(shown.width)
        document["height"] = .integer(shown.height)
        let thumbnail = small.fitted(limit)
        document["thumbnail_url"] = .string(origin + small.path)
        document["thumbnail_width"] = .integer(thumbnail.width)
        document["thumbnail_height"] = .integer(thumbnail.height)
        return document
    }
}

extension ShownPost.Photo {
    /// The renditions that all kinds of programs can show, if there are any.
    private var forAll: [ShownPost.Rendition] {
        let jpegs = renditions.filter { $0.contentType == "image/jpeg" }
        return jpegs.isEmpty ? renditions : jpegs
    }

    fileprivate var smallest: ShownPost.Rendition? { forAll.first }

    /// Returns the largest rendition within a limit, or else the smallest, which is scaled down.
    fileprivate func fitting(
        _ limit: (width: Int, height: Int)
    ) -> (rendition: ShownPost.Rendition, width: Int, height: Int)? {
        let fitting = forAll.last { $0.width <= limit.width && $0.height <= limit.height }
        guard let rendition = fitting ?? smallest else { return nil }
        let size = rendition.fitted(limit)
        return (rendition, size.width, size.height)
    }
}

extension ShownPost.Rendition {
    /// Returns the size of the picture, or a smaller one of the same aspect ratio within a limit.
    fileprivate func fitted(_ limit: (width: Int, height: Int)) -> (width: Int, height: Int) {
        let scale = min(1, Double(limit.width) / Double(width), Double(limit.height) / Double(height))
        return (max(1, Int(Double(width) * scale)), max(1, Int(Double(height) * scale)))
    }
}
