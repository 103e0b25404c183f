import API
import HTTPTypes
import Hummingbird
import Model
package import Requests
import Server
import Social
import TreeModel

/// Feeds for feed readers (Atom, RFC 4287; JSON Feed 1.1): of all posts, of a person's, and of those with a hashtag.
/// The same programs also read pages for people, so that feeds have their own addresses beside these.
package struct SyndicationRoutes: Sendable {
    /// The number of posts of one feed; its `next` links to further ones.
    private static let postCount = 30

    let source: PageSource

    package init(source: PageSource) {
        self.source = source
    }

    private typealias List = @Sendable (HTTPContext, Site, PageTexts) async throws -> (FeedList, Syndication.Subject)

    package func add(to routes: inout RouteTable) {
        add("", ("AllPosts", "all posts"), [], to: &routes) { context, site, texts in
            let list = try await source.lists.all(context)
            let title = "\(site.name) · \(texts.text("feed.title"))"
            return (list, Syndication.Subject(title: title, about: site.about(texts), path: ""))
        }
        add("/people/{uid}", ("PersonPosts", "a person's posts"), [.path("uid", .userID)], to: &routes) {
            context, _, texts in
            let (uid, list) = try await source.lists.person(context)
            let person = try await source.person(uid, context)
            let title = texts.text("person.photosOf", ["name": person.fullName])
            let path = PagePath.person(uid.description)
            return (list, Syndication.Subject(title: title, about: person.bio ?? title, path: path))
        }
        add("/tags/{tag}", ("HashtagPosts", "the posts with a hashtag"), [.path("tag", .text)], to: &routes) {
            context, _, texts in
            let (tag, list) = try await source.lists.hashtag(context)
            let title = texts.text("tag.postsWith", ["tag": tag.string])
            return (list, Syndication.Subject(title: title, about: title, path: PagePath.tag(tag.string)))
        }
    }

    private func add(
        _ path: String, _ posts: (name: String, words: String), _ parameters: [Parameter], to routes: inout RouteTable,
        _ list: @escaping List
    ) {
        let fields =
            parameters + [
                .query("before", .text, "the cursor in the feed's `next`"),
                .header("If-None-Match", .text, "entity tags"),
            ]
        func operation(_ form: Syndication.Form, _ name: String, _ schema: Schema) -> Endpoint {
            let answer = AnswerDescription.content(form.type, schema).with(headers: "ETag")
            return Endpoint(
                "get\(posts.name)\(name)", in: .syndication, "Get \(posts.words) as \(form.name), the newest first",
                fields,
                answers: [answer, .empty(.notModified)],
                errors: [.permissionDenied, .notFound], ignoresQuery: true
            ) { request, context in
                try await respond(to: request, context, form, list)
            }
        }
        routes.add("\(path)/feed.atom", [.get: operation(.atom, "Atom", .text)])
        routes.add("\(path)/feed.jsonfeed", [.get: operation(.json, "JSONFeed", Self.feed)])
    }

    private static let feed = Schema.object(
        [
            "version": .text, "title": .text, "home_page_url": .text, "feed_url": .text, "next_url": .text,
            "items": .list(of: .object(["id": .text], required: ["id"], isOpen: true).named("JSONFeedItem")),
        ], required: ["version", "title", "items"], isOpen: true
    ).named("JSONFeed")

    private func respond(
        to request: Request, _ context: HTTPContext, _ form: Syndication.Form, _ list: List
    ) async throws -> Response {
        let site = source.site.value
        let texts = site.texts(for: request)
        let (list, subject) = try await list(context, site, texts)
        let before = request.queryText("before")
        let page = try await source.page(of: list, before: before, limit: Self.postCount, context)
        let feed = Syndication(
            subject: subject, page: page, origin: source.origin(request, context), before: before, site: site,
            texts: texts)
        let bytes = form == .atom ? feed.atom : feed.json
        var headers = HTTPFields()
        headers.vary(by: PageLanguage.vary)
        return Asset(bytes, contentType: form.contentType).response(to: request, headers: headers)
    }
}
