import API
import Access
import HTTPTypes
import Hummingbird
import Model
package import Requests
package import Server
import Social
import Transport
import Tree

/// The pages of the gallery: lists of posts, a post, and search results. They can be read without scripts; scripts take
/// them over where they run.
package struct PageRoutes: Sendable {
    /// The number of posts of a page.
    private static let postCount = 10
    /// The number of comments below a post.
    private static let commentCount = 20
    /// The number of people in search results.
    private static let peopleCount = 50

    let source: PageSource
    /// The page for strangers, and who is one.
    let closed: ClosedPage
    /// The setup that the first reader is shown; nil if there is none.
    let setup: ServiceSetup?

    package init(source: PageSource, closed: ClosedPage, setup: ServiceSetup? = nil) {
        self.source = source
        self.closed = closed
        self.setup = setup
    }

    private typealias Page = @Sendable (Request, HTTPContext, inout PageHead) async throws -> String

    package func add(to routes: inout RouteTable) {
        addSetup(to: &routes)
        add("/", "home", to: &routes) { try await all("home", $0, $1, &$2) }
        add("/all", "all", to: &routes) { try await all("all", $0, $1, &$2) }
        add("/people/{uid}", "person", to: &routes, person)
        add("/tags/{tag}", "tag", to: &routes, tag)
        add("/posts/{id}", "post", to: &routes, post)
        add("/search", "search", to: &routes, search)
        add("/notifications", "notifications", to: &routes) { _, _, head in
            head["isHidden"] = true
            head["heading"] = head.texts.text("page.signInTitle")
            head["message"] = head.texts.text("page.signIn")
            return "message"
        }
        add("/join", "join", isForStrangers: true, to: &routes) { _, _, head in
            head["isHidden"] = true
            head["heading"] = head.texts.text("join.title")
            head["message"] = head.texts.text("join.needsScripts")
            head["needsScripts"] = true
            return "message"
        }
        add("/invitations", "invitations", to: &routes) { _, _, head in
            head["isHidden"] = true
            head["heading"] = head.texts.text("page.signInTitle")
            head["message"] = head.texts.text("page.signIn")
            return "message"
        }
        addJoinLink(to: &routes)
    }

    /// Adds the page of the first setup. While it is not offered, its address is like one without a page.
    private func addSetup(to routes: inout RouteTable) {
        guard let setup else { return }
        add("/setup", "setup", isForStrangers: true, isThere: { try await setup.isOpen }, to: &routes) { _, _, head in
            head["isHidden"] = true
            head["heading"] = head.texts.text("setup.title")
            head["message"] = head.texts.text("setup.needsScripts")
            head["needsScripts"] = true
            return "message"
        }
    }

    /// Adds the address with a code in its path, which some people make out of a short code: it leads to the page with
    /// the code in the fragment, which is in no log and no `Referer`.
    private func addJoinLink(to routes: inout RouteTable) {
        let link = Endpoint { _, context in
            let code = context.parameters.get("code") ?? ""
            let isPlain = code.utf8.count <= 64 && code.utf8.allSatisfy(\.isPartOfCode)
            var headers: HTTPFields = [.location: isPlain ? "/join#\(code)" : "/join", .cacheControl: "no-store"]
            headers[.referrerPolicy] = "no-referrer"
            return Response(status: .seeOther, headers: headers)
        }
        routes.add("/join/{code}", [.get: link])
    }

    /// - Parameters:
    ///   - isForStrangers: Whether strangers get the page of a closed service, too.
    ///   - isThere: Whether the page is there at present.
    private func add(
        _ path: String, _ view: String, isForStrangers: Bool = false,
        isThere: @escaping @Sendable () async throws -> Bool = { true }, to routes: inout RouteTable,
        _ page: @escaping Page
    ) {
        let (source, closed, setup) = (source, closed, setup)
        let operation = Endpoint { request, context in
            guard try await isThere() else { throw HTTPError(.notFound) }
            if view == "home", PageRefusal.isForBrowser(request),
                try await setup?.isShown(to: request, context) == true
            {
                return Response(status: .seeOther, headers: [.location: "/setup", .cacheControl: "no-store"])
            }
            let site = source.site.value
            let state = try await closed.visibility.state
            if state.isClosed, context.identity == .anonymous, !isForStrangers {
                return closed.response(to: request, of: site, state)
            }
            let texts = site.texts(for: request)
            var traits = closed.traits
            traits.isLocal = view == "setup" && setup?.needsNoCode(from: request, context) == true
            var head = PageHead(
                view, nil, texts, of: site, origin: source.origin(request, context), traits: traits)
            do {
                let template = try await page(request, context, &head)
                if state.isClosed { head.close() }
                return head.response(template)
            } catch {
                guard let refusal = PageRefusal(error) else { throw error }
                return refusal.response(view, texts, of: site, traits: traits) { context.parameters.get($0) }
            }
        }
        routes.add(path, [.get: operation])
    }

    // MARK: - Lists

    @Sendable private func all(
        _ view: String, _ request: Request, _ context: HTTPContext, _ head: inout PageHead
    ) async throws -> String {
        let list = try await source.lists.all(context)
        let texts = head.texts
        head.share(
            view == "home" ? "/" : PagePath.all, type: "website", title: head.site.name,
            description: head.site.about(texts))
        head.addAlternates(FeedAddress.alternates(of: "", label: texts.text("feed.title")))
        head["hiddenHeading"] = texts.text(view == "home" ? "nav.home" : "nav.all")
        let isFirst = try await show(list, request, context, &head)
        head["emptyWords"] = texts.text("empty.words", ["site": head.site.name])
        head["isNew"] = isFirst && head["isEmpty"] as? Bool == true
        if isFirst { head["isEmpty"] = false }
        return "list"
    }

    @Sendable private func person(
        _ request: Request, _ context: HTTPContext, _ head: inout PageHead
    ) async throws -> String {
        let (uid, list) = try await source.lists.person(context)
        let person = try await source.person(uid, context)
        let texts = head.texts
        let photosOf = texts.text("person.photosOf", ["name": person.fullName])
        let picture = person.profilePicture.flatMap(OwnAddress.init)?.path
        var values: [String: Any] = ["fullName": person.fullName]
        values["avatar"] = picture
        values["role"] = person.role
        values["bio"] = person.bio
        if let counts = person.counts {
            values["numbers"] = [
                texts.text("person.posts", count: counts.posts),
                texts.text("person.followers", count: counts.followers),
                texts.text("person.following", count: counts.following),
            ].joined(separator: " · ")
        }
        head["person"] = values
        head["personID"] = uid.description
        head.setTitle(person.fullName)
        let path = PagePath.person(uid.description)
        head.share(
            path, type: "profile", title: person.fullName, description: person.bio?.excerpt(200) ?? photosOf)
        if let picture { head.share(picture: picture) }
        head.addAlternates(FeedAddress.alternates(of: path, label: photosOf))
        try await show(list, request, context, &head)
        return "list"
    }

    @Sendable private func tag(
        _ request: Request, _ context: HTTPContext, _ head: inout PageHead
    ) async throws -> String {
        let (tag, list) = try await source.lists.hashtag(context)
        let label = head.texts.text("tag.postsWith", ["tag": tag.string])
        head["tagName"] = tag.string
        head.setTitle("#\(tag.string)")
        let path = PagePath.tag(tag.string)
        head.share(path, type: "website", title: "#\(tag.string)", description: label)
        head.addAlternates(FeedAddress.alternates(of: path, label: label))
        try await show(list, request, context, &head)
        return "list"
    }

    /// - Returns: Whether it is the first page.
    @discardableResult private func show(
        _ list: FeedList, _ request: Request, _ context: HTTPContext, _ head: inout PageHead
    ) async throws -> Bool {
        let before = request.queryText("before")
        let page = try await source.page(of: list, before: before, limit: Self.postCount, context)
        let texts = head.texts
        head["posts"] = page.posts.enumerated().map { $0.element.values(ShownPost.Position(index: $0.offset), texts) }
        head["next"] = page.next
        head["token"] = page.token
        head["isEmpty"] = page.posts.isEmpty
        return before == nil
    }

    // MARK: - One post

    @Sendable private func post(
        _ request: Request, _ context: HTTPContext, _ head: inout PageHead
    ) async throws -> String {
        let id = try context.postID()
        let (post, token) = try await source.post(id, context)
        let texts = head.texts
        let by = texts.text("post.by", ["name": post.name])
        head["postID"] = post.id
        head["token"] = token
        head["hiddenHeading"] = by
        head.setTitle(post.text.isEmpty ? by : post.text.excerpt(60))
        head["posts"] = [post.values(ShownPost.Position(index: 0, isAlone: true), texts)]
        let path = PagePath.post(post.id)
        head.share(path, type: "article", title: by, description: post.text.isEmpty ? by : post.text.excerpt(200))
        if let photo = post.photos.first, let rendition = photo.shared {
            head.share(rendition, alt: post.alt(of: photo, 0, texts))
        }
        let page = PercentEncoding.encode((head.origin + path).utf8)
        head.addAlternates([("application/json+oembed", "/oembed?format=json&url=\(page)", by)])
        let comments = try await source.comments(on: id, limit: Self.commentCount, context)
        let shown = comments?.comments ?? []
        head["hasComments"] = !shown.isEmpty
        head["commentsTitle"] = texts.text("card.comments", count: max(post.comments, Int64(shown.count)))
        head["comments"] = shown.map(\.pageValues)
        head["hasMore"] = comments?.hasMore ?? false
        return "post"
    }

    // MARK: - Search

    @Sendable private func search(
        _ request: Request, _ context: HTTPContext, _ head: inout PageHead
    ) async throws -> String {
        let texts = head.texts
        let query = request.queryText("q")?.excerpt(200) ?? ""
        head["isHidden"] = true
        head["hasQuery"] = true
        head["query"] = query
        head.setTitle(texts.text("search.title"))
        let name = query.hasPrefix("#") ? String(query.dropFirst()) : query
        let tag = Hashtags.tag(named: name)
        if let tag { head["foundTag"] = ["link": PagePath.tag(tag.string), "label": tag.string] }
        let found: [Person] =
            query.hasPrefix("#")
            ? [] : try await source.people(named: query, limit: Self.peopleCount, context) ?? []
        let people = found.map { person in
            var values: [String: Any] = ["name": person.fullName, "link": PagePath.person(person.uid.description)]
            values["avatar"] = person.profilePicture.flatMap(OwnAddress.init)?.path
            return values
        }
        head["people"] = people
        head["hasPeople"] = !people.isEmpty
        if query.isEmpty {
            head["hint"] = texts.text("search.hint")
        } else if people.isEmpty, !query.hasPrefix("#") {
            head["hint"] = texts.text("search.nothing")
        }
        return "search"
    }
}

extension UInt8 {
    /// Whether the byte may be part of a code: an ASCII letter or digit, a hyphen or an underscore.
    fileprivate var isPartOfCode: Bool {
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
