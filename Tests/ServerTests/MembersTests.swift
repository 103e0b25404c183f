import API
import Client
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree

@Suite("The preset members, by every way to read and write", .timeLimit(.minutes(20)))
struct MembersTests {
    /// Runs a body with a service in which maria has a post with a photo, a comment, a like and a hashtag; guest has an
    /// anonymous account.
    private func withMembers(_ body: @Sendable (Service, _ post: String) async throws -> Void) async throws {
        try await withService { service in
            try await service.set(.public)
            try await service.addPeople("maria", "jan", "guest")
            let posted = try await service.tcpClient.ask(
                .post, "/v1/uploads?text=At%20the%20%23lake", headers: try service.senderHeaders(of: "maria"),
                body: .bytes(try fixture("size-97x61.jpg")))
            let id = try #require(posted.json["post_id"].string, "\(posted.text)")
            #expect(try await service.send(.put, "/v1/posts/\(id)/likes/jan", of: "jan").status == 200)
            let comment = try await service.send(.post, "/v1/posts/\(id)/comments", of: "jan", #"{"text":"Nice"}"#)
            #expect(comment.status == 201, "\(comment.text)")
            try await service.set(.members)
            try await body(service, id)
        }
    }

    @Test("Every list and document is for members: strangers and anonymous accounts get 401, whether it exists or not")
    func reading() async throws {
        try await withMembers { service, id in
            let origin = "http%3A%2F%2F127.0.0.1%3A\(service.tcpPort)"
            let paths = [
                "/v1/posts", "/v1/posts/\(id)", "/v1/people", "/v1/people?search=ma", "/v1/people/maria",
                "/v1/people/maria/posts", "/v1/people/maria/followers", "/v1/people/maria/following",
                "/v1/people/maria/likes", "/v1/hashtags", "/v1/hashtags?search=la", "/v1/hashtags/lake/posts",
                "/v1/posts/\(id)/likes", "/v1/posts/\(id)/comments", "/v1/announcements", "/feed.atom",
                "/feed.jsonfeed", "/people/maria/feed.atom", "/tags/lake/feed.jsonfeed",
                "/oembed?url=\(origin)%2Fposts%2F\(id)", "/v1/changes?path=posts", "/v1/changes?path=people/maria",
                "/posts.json", "/posts/\(id).json", "/people.json?shallow=true", "/comments/\(id).json",
                "/likes/\(id).json", "/stats/posts/\(id).json", "/hashtags.json", "/announcements.json",
            ]
            for path in paths {
                for uid in ["", "guest"] {
                    let answer = try await service.send(path, of: uid)
                    #expect(answer.status == 401, "\(path) \(uid): \(answer.text)")
                    #expect(!answer.text.contains("lake"), "\(path)")
                }
                let answer = try await service.send(path, of: "jan")
                #expect(answer.status == 200, "\(path): \(answer.text)")
            }
            let absent = [
                "/v1/posts/-P6xJd7DkF0an8Cy0qLh", "/v1/people/nobody", "/v1/people/nobody/posts",
                "/v1/hashtags/nothing/posts", "/v1/posts/-P6xJd7DkF0an8Cy0qLh/comments", "/people/nobody/feed.atom",
                "/oembed?url=\(origin)%2Fposts%2F-P6xJd7DkF0an8Cy0qLh", "/v1/posts/events",
                "/v1/people/maria/feed/events", "/v1/people/maria/feed", "/v1/people/maria/notifications",
                "/v1/people/guest/notifications", "/v1/people/guest/stories", "/v1/people/guest/feed",
                "/v1/people/guest/feed/events", "/v1/audiences", "/v1/audiences/x",
            ]
            for path in absent {
                for uid in ["", "guest"] {
                    let answer = try await service.send(path, of: uid)
                    #expect(answer.status == 401, "\(path) \(uid): \(answer.text)")
                }
            }
        }
    }

    @Test("Anonymous accounts write nothing by any route, and withdraw what they have written; members write")
    func writing() async throws {
        try await withMembers { service, id in
            let comment = #"{"text":"x"}"#
            let writes: [(HTTPRequest.Method, String, String?)] = [
                (.put, "/v1/posts/\(id)/likes/guest", nil), (.post, "/v1/posts/\(id)/comments", comment),
                (.put, "/v1/posts/\(id)/flags/guest", nil), (.post, "/v1/uploads?text=x", nil),
                (.put, "/v1/people/guest", #"{"full_name":"x"}"#), (.put, "/v1/people/guest/following/maria", nil),
                (.put, "/v1/audiences/n", #"{"name":"n","kind":"class"}"#),
                (.patch, "/v1/people/guest/privacy", #"{"social":false}"#),
            ]
            for (method, path, body) in writes {
                let answer = try await service.send(method, path, of: "guest", body)
                #expect(answer.status == 403, "\(path): \(answer.text)")
                #expect(answer.json["code"].string == "not_allowed", "\(path): \(answer.text)")
                let member = path.replacing("guest", with: "jan")
                let allowed = try await service.send(method, member, of: "jan", body)
                #expect([200, 201].contains(allowed.status), "\(member): \(allowed.text)")
            }
            let profile = try await service.send(.put, "/people/guest/bio.json", of: "guest", "\"x\"")
            #expect(profile.status == 401, "\(profile.text)")
            let deleted = try await service.send(.delete, "/v1/people/guest", of: "guest")
            #expect(deleted.status == 202, "\(deleted.text)")
        }
    }

    @Test("Photos are for members, and for holders of a signed address; no cache may keep them for others")
    func media() async throws {
        try await withMembers { service, id in
            let post = try await service.send("/v1/posts/\(id)", of: "jan").json
            let signed = try #require(post["full_url"].string)
            let path = try #require(signed.split(separator: "?").first.map(String.init))
            #expect(signed.contains("?token="))
            for (address, uid, status) in [
                (path, "", 404), (path, "guest", 404), (path, "jan", 200), (signed, "", 200), (signed + "x", "", 404),
            ] {
                let answer = try await service.send(address, of: uid)
                #expect(answer.status == status, "\(address) \(uid)")
                #expect(answer.headers[.cacheControl]?.contains("public") != true)
                #expect(answer.headers[.named("x-robots-tag")] == "noindex, nofollow")
            }
            try await service.set(.public)
            let answer = try await service.send(path, of: "")
            #expect(answer.status == 200 && answer.headers[.named("x-robots-tag")] == nil)
            #expect(try await service.send(.put, "/v1/posts/\(id)/likes/guest", of: "guest").status == 200)
        }
    }

    @Test("A reader who listens when the service closes gets nothing more")
    func listening() async throws {
        try await withMembers { service, id in
            try await service.set(.public)
            let start = try await service.send("/v1/posts", of: "").headers[.named("tintype-token")] ?? ""
            try await service.set(.members)
            try await service.tree.set(PostNodes.post(try #require(PostID(id))) / "text", to: "secret")
            for path in ["/v1/changes?path=posts&since=\(start)", "/v1/posts/events?since=\(start)"] {
                let answer = try await service.send(path, of: "")
                #expect(answer.status == 401 && !answer.text.contains("secret"), "\(path): \(answer.text)")
            }
        }
    }
}
