import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TintypeModel

@Suite("The values of an app, read from the service", .timeLimit(.minutes(20)))
struct AppModelTests {
    /// Runs a test's body against routes with people, of whom maria follows jan and owns an audience.
    private func withPeople(_ body: @Sendable (RoutedService) async throws -> Void) async throws {
        try await withRoutes { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "jan")
            _ = try await service.sent(.put, "/v1/people/maria/following/jan", as: "maria")
            let audience = #"{"name":"7b","kind":"class","members":{"maria":"owner","jan":"reader"}}"#
            _ = try await service.sent(.put, "/v1/audiences/7b", as: "maria", audience)
            try await body(service)
        }
    }

    @Test("An upload, its post, the lists with it, its comments and its likes")
    func posts() async throws {
        try await withPeople { service in
            var headers = try service.headers(of: "jan")
            headers[.contentType] = Form.contentType[.contentType]
            let form = Form().field("text", "Hello @maria")
                .field("mentions", #"[{"uid":"maria","start":6,"length":6}]"#)
                .field("alt", "A lake").photo(try fixture("photo.jpg"))
            let answer = try await service.tcpClient.ask(
                .post, "/v1/uploads", headers: headers, body: .bytes(form.closed))
            guard case .published(let post) = try service.read(UploadOutcome.self, answer) else {
                Issue.record("\(answer.text)")
                return
            }
            #expect(post.kind == .photoText && post.author.id == "jan" && post.faults.isEmpty, "\(post)")
            let photo = try #require(post.photos.first)
            #expect(photo.alternativeText == "A lake" && photo.thumbHash != nil && !photo.renditions.isEmpty)
            #expect(photo.rendition(forWidth: 1)?.byteCount != nil && photo.additionalFields.isEmpty)
            let mention = try #require(post.mentions.first)
            #expect(
                mention.personID == "maria" && mention.range(in: post.text ?? "").map { post.text?[$0] } == "@maria")
            #expect(try await service.read(Post.self, "/v1/posts/\(post.id)").id == post.id)

            let said = try await service.sent(.post, "/v1/posts/\(post.id)/comments", as: "maria", #"{"text":"Nice"}"#)
            let comment = try service.read(TintypeModel.Comment.self, said)
            #expect(comment.text == "Nice" && comment.postID == post.id && comment.author.name == "maria")
            let comments = try await service.read(Page<TintypeModel.Comment>.self, "/v1/posts/\(post.id)/comments")
            #expect(comments.elements == [comment] && comments.faults.isEmpty && comments.next == nil)
            _ = try await service.sent(.put, "/v1/posts/\(post.id)/likes/maria", as: "maria")
            let likes = try await service.read(Page<Like>.self, "/v1/posts/\(post.id)/likes")
            #expect(likes.elements.map(\.person.id) == ["maria"] && likes.likeCount == 1)

            for path in ["/v1/posts", "/v1/people/jan/posts", "/v1/people/maria/feed"] {
                let page = try await service.read(Page<Post>.self, path)
                let listed = try #require(page.elements.first, "\(path)")
                #expect(listed.id == post.id && page.faults.isEmpty && listed.faults.isEmpty, "\(path): \(page)")
                #expect(listed.photos.map(\.width) == post.photos.map(\.width) && listed.position != nil)
                #expect(listed.counts == Post.Counts(likes: 1, comments: 1) && listed.isLiked == true)
                #expect(listed.comments.map(\.id) == [comment.id])
                #expect(listed.additionalFields.isEmpty, "\(listed.additionalFields)")
            }
        }
    }

    @Test("People, notifications, announcements and audiences")
    func people() async throws {
        try await withPeople { service in
            let jan = try await service.read(Person.self, "/v1/people/jan")
            #expect(jan.name == "jan" && jan.counts?.followers == 1 && jan.isFollowed == true && jan.isBlocked == false)
            #expect(jan.faults.isEmpty && jan.additionalFields.isEmpty, "\(jan)")
            let people = try await service.read(Page<Person>.self, "/v1/people?limit=1")
            #expect(people.elements.map(\.id) == ["jan"] && people.hasMore && people.next != nil)

            let sent = try await service.client.ask(
                .post, "/v1/announcements", headers: [.contentType: "application/json"],
                body: .bytes(Array(#"{"title":"Tonight","text":"Dinner"}"#.utf8)))
            let announcement = try service.read(Announcement.self, sent)
            #expect(announcement.title == "Tonight" && announcement.recipientCount == nil)
            let path = "/v1/people/jan/notifications"
            let page = try await service.read(Page<SocialNotification>.self, path, as: "jan")
            #expect(page.elements.map(\.kind) == [.announcement, .follow] && page.unreadCount == 2)
            #expect(page.elements.first?.announcementID == announcement.id && page.faults.isEmpty)
            #expect(page.elements.last?.actor?.id == "maria" && page.elements.allSatisfy(\.isUnread))
            #expect(page.elements.allSatisfy { $0.faults.isEmpty && $0.additionalFields.isEmpty }, "\(page)")

            let audiences = try await service.read(Page<Audience>.self, "/v1/audiences")
            #expect(audiences.elements.map(\.role) == [.owner] && audiences.elements.first?.members == nil)
            let audience = try await service.read(Audience.self, "/v1/audiences/7b")
            #expect(audience.kind == .schoolClass && audience.members == ["maria": .owner, "jan": .reader])
            #expect(audience.faults.isEmpty)
        }
    }

    @Test("The changes for a device, from the first answer on")
    func changes() async throws {
        try await withPeople { service in
            try await service.finishJobs()
            let first = try await service.read(SyncChanges.self, "/v1/sync")
            #expect(
                first.feed?.isReset == true && first.audiences?.elements.map(\.id) == ["7b"] && first.faults.isEmpty)
            _ = try await service.sent(.post, "/v1/uploads?text=hello", as: "jan")
            let upload = try service.read(
                Upload.self, try await service.sent(.post, "/v1/uploads?text=later&draft=true", as: "maria"))
            let next = try await service.read(SyncChanges.self, "/v1/sync?since=\(first.next)")
            #expect(next.feed?.elements.map(\.text) == ["hello"] && next.feed?.isReset == false, "\(next)")
            #expect(next.uploads?.elements.map(\.id) == [upload.id] && upload.state == .draft && !upload.state.isFinal)
            #expect((next.changeNumber ?? 0) > (first.changeNumber ?? .max) && next.faults.isEmpty)
            #expect(try await service.read(SyncChanges.self, "/v1/sync?since=\(next.next)").isEmpty)
        }
    }

    @Test("A post of a client of the database is read as far as it goes, alone and from the tree")
    func databasePosts() async throws {
        try await withPeople { service in
            let odd =
                #"{"author":{"uid":"jan"},"timestamp":1795251415385.0,"kind":"poll","text":7,"choices":["a","b"]}"#
            let stored = try await service.client.ask(.put, "/posts/odd.json", body: .bytes(Array(odd.utf8)))
            #expect(stored.status == 200, "\(stored.text)")
            let tree = try await service.client.get("/posts.json")
            let posts = try service.read(TreeChildren<Post>.self, tree)
            let post = try #require(posts.elements.first, "\(tree.text)")
            #expect(post.id == "odd" && post.kind == .other("poll") && post.author.name == nil && post.text == nil)
            #expect(post.faults.map(\.path) == ["text"] && post.additionalFields["choices"] == ["a", "b"])
            let page = try await service.read(Page<Post>.self, "/v1/posts")
            #expect(page.elements.isEmpty && page.faults.map(\.id) == ["odd"], "\(page)")
        }
    }

    @Test("A refusal is a problem with the service's code, whichever protocol refuses")
    func problems() async throws {
        try await withPeople { service in
            let missing = try await service.ask(.get, "/v1/posts/-P6xM7XsbtuEisqMixX_", as: "maria")
            let problem = Problem(status: missing.status, body: Data(missing.body))
            #expect(problem.code == .notFound && problem.status == 404 && problem.trace?.isEmpty == false)
            #expect(!problem.message.isEmpty && !problem.isTransient)
            let refused = try await service.ask(.put, "/people/jan/full_name.json", as: "maria", #""x""#)
            #expect(Problem(status: refused.status, body: Data(refused.body)).code == .permissionDenied)
        }
    }
}

extension RoutedService {
    /// Returns the answer to a request of a user, which must succeed.
    fileprivate func sent(
        _ method: HTTPRequest.Method, _ path: String, as uid: String, _ body: String? = nil
    ) async throws -> TestSupport.Answer {
        let answer = try await ask(method, path, as: uid, body)
        try #require([200, 201].contains(answer.status), "\(path): \(answer.text)")
        return answer
    }

    /// Returns the value in an answer.
    fileprivate func read<Value: Decodable>(_ type: Value.Type, _ answer: TestSupport.Answer) throws -> Value {
        try #require([200, 201].contains(answer.status), "\(answer.text)")
        return try JSONDecoder().decode(type, from: Data(answer.body))
    }

    /// Returns the value at an address, as a user gets it.
    fileprivate func read<Value: Decodable>(
        _ type: Value.Type, _ path: String, as uid: String = "maria"
    ) async throws -> Value {
        try read(type, try await ask(.get, path, as: uid))
    }
}
