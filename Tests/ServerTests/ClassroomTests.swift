import API
import Client
import Foundation
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree

@Suite("The preset classroom, by every way to read and write", .timeLimit(.minutes(20)))
struct ClassroomTests {
    /// The posts of the service.
    private struct Posts: Sendable {
        /// Olga's post for her class, with a photo.
        let ofClass: String
        /// The path of its photo.
        let classPhoto: String
        /// Anna's post for no audience, which mentions Paul, with a photo.
        let ofAnna: String
        let photoOfAnna: String
    }

    private func upload(_ query: String, by uid: String, _ service: Service) async throws -> (id: String, photo: String)
    {
        let answer = try await service.tcpClient.ask(
            .post, "/v1/uploads?\(query)", headers: try service.senderHeaders(of: uid),
            body: .bytes(try fixture("size-97x61.jpg")))
        let id = try #require(answer.json["post_id"].string, "\(answer.text)")
        let url = try #require(answer.json["post"]["full_url"].string)
        return (id, try #require(url.split(separator: "?").first.map(String.init)))
    }

    /// Runs a body with a service in which Olga owns class c, which Paul reads, and Otto owns class d.
    private func withClasses(_ body: @Sendable (Service, Posts) async throws -> Void) async throws {
        try await withService { service in
            try await service.set(.classroom)
            try await service.addPeople("olga", "paul", "otto", "anna")
            let bio = try await service.send(.patch, "/v1/people/anna", of: "anna", #"{"bio":"Paints."}"#)
            #expect(bio.status == 200, "\(bio.text)")
            for (id, owner, members) in [("c", "olga", #"{"paul":"reader"}"#), ("d", "otto", "{}")] {
                let made = try await service.send(
                    .put, "/v1/audiences/\(id)", of: owner, #"{"name":"x","kind":"class","members":\#(members)}"#)
                #expect(made.status == 201, "\(made.text)")
            }
            let ofClass = try await upload("text=Tomorrow&audiences=c", by: "olga", service)
            let mention =
                #"[{"uid":"paul","start":6,"length":5}]"#
                .addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let ofAnna = try await upload("text=Hello%20%40Paul%20%23cat&mentions=\(mention)", by: "anna", service)
            try await body(
                service,
                Posts(
                    ofClass: ofClass.id, classPhoto: ofClass.photo, ofAnna: ofAnna.id, photoOfAnna: ofAnna.photo))
        }
    }

    @Test("A class's posts and photos are for its members, another's and strangers get nothing")
    func classes() async throws {
        try await withClasses { service, posts in
            let rows: [(path: String, members: Int, others: Int, strangers: Int)] = [
                ("/v1/audiences/c/posts", 200, 403, 401), ("/v1/audiences/c", 200, 403, 401),
                ("/stories/c.json", 200, 401, 401), ("/v1/posts/\(posts.ofClass)", 200, 401, 401),
                (posts.classPhoto, 200, 404, 404),
            ]
            for row in rows {
                for uid in ["olga", "paul"] {
                    let answer = try await service.send(row.path, of: uid)
                    #expect(answer.status == row.members, "\(row.path) \(uid): \(answer.text)")
                }
                for uid in ["otto", "anna"] {
                    let answer = try await service.send(row.path, of: uid)
                    #expect(answer.status == row.others, "\(row.path) \(uid): \(answer.text)")
                }
                for uid in ["", "guest"] {
                    let answer = try await service.send(row.path, of: uid)
                    #expect(answer.status == row.strangers, "\(row.path) \(uid): \(answer.text)")
                }
            }
            let stories = try await service.send("/v1/people/paul/stories", of: "paul")
            #expect(stories.json["posts"].array.map { $0["text"].string } == ["Tomorrow"], "\(stories.text)")
            let like = try await service.send(.put, "/v1/posts/\(posts.ofClass)/likes/paul", of: "paul")
            #expect(like.json["code"].string == "audience_post", "\(like.text)")
        }
    }

    @Test("An anonymous account that is a member of a class sees nothing of it")
    func anonymousMember() async throws {
        try await withClasses { service, posts in
            try await service.tree.set("audiences/c/members/guest", to: "reader")
            for path in ["/v1/audiences/c/posts", "/v1/people/guest/stories", "/stories/c.json", "/v1/audiences"] {
                #expect(try await service.send(path, of: "guest").status == 401, "\(path)")
            }
            #expect(try await service.send(posts.classPhoto, of: "guest").status == 404)
            // With an account of another kind, the same person sees it.
            let headers = try service.headers(of: "guest")
            #expect(try await service.tcpClient.get(posts.classPhoto, headers: headers).status == 200)
        }
    }

    @Test("A post without an audience is for its author and for admins, in every list and by its address")
    func ownPosts() async throws {
        try await withClasses { service, posts in
            let id = posts.ofAnna
            for path in ["/v1/posts/\(id)", "/v1/people/anna/posts", posts.photoOfAnna, "/v1/posts/\(id)/comments"] {
                let answer = try await service.send(path, of: "anna")
                #expect(answer.status == 200, "\(path): \(answer.text)")
                #expect(try await service.client.get(path).status == 200, "\(path)")
                for uid in ["paul", "guest", ""] {
                    let answer = try await service.send(path, of: uid)
                    #expect(answer.status == (path == posts.photoOfAnna ? 404 : 401), "\(path) \(uid): \(answer.text)")
                }
            }
            for path in [
                "/v1/posts", "/v1/hashtags", "/v1/hashtags/cat/posts", "/v1/people/anna/feed", "/v1/people/anna/likes",
                "/feed.atom", "/people/anna/feed.atom", "/v1/changes?path=posts", "/v1/posts/events", "/posts.json",
            ] {
                #expect(try await service.send(path, of: "paul").status >= 401, "\(path)")
            }
            for (method, path, body) in [
                (HTTPRequest.Method.put, "/v1/posts/\(id)/likes/paul", nil), (.put, "/v1/posts/\(id)/flags/paul", nil),
                (.post, "/v1/posts/\(id)/comments", #"{"text":"x"}"#),
                (.put, "/v1/posts/-P6xJd7DkF0an8Cy0qLh/likes/paul", nil),
            ] as [(HTTPRequest.Method, String, String?)] {
                let answer = try await service.send(method, path, of: "paul", body)
                #expect(answer.status == 404, "as of a post that does not exist: \(path): \(answer.text)")
            }
            #expect(try await service.send(.put, "/v1/posts/\(id)/likes/anna", of: "anna").status == 200)
        }
    }

    @Test("A notification of a mention does not tell the text of a post that its reader may not see")
    func notifications() async throws {
        try await withClasses { service, posts in
            func mention() async throws -> JSON {
                let answer = try await service.send("/v1/people/paul/notifications", of: "paul")
                let mentions = answer.json["notifications"].array.filter { $0["kind"].string == "mention" }
                return try #require(mentions.first, "\(answer.text)")
            }
            let hidden = try await mention()
            #expect(hidden["post"].string == posts.ofAnna && hidden["text"].string == nil)
            try await service.set(.members)
            #expect(try await mention()["text"].string == "Hello @Paul #cat")
        }
    }

    @Test("Members see the names of people whom they know, no profiles, and find nobody")
    func names() async throws {
        try await withClasses { service, _ in
            let own = try await service.send("/v1/people/anna", of: "anna").json
            #expect(own["bio"].string == "Paints." && own["full_name"].string == "anna")
            let other = try await service.send("/v1/people/anna", of: "paul")
            #expect(other.status == 200 && other.json.keys == ["uid", "full_name"], "\(other.text)")
            for uid in ["", "guest"] { #expect(try await service.send("/v1/people/anna", of: uid).status == 401) }
            for path in [
                "/v1/people", "/v1/people?search=an", "/v1/people/anna/followers", "/v1/people/anna/following",
                "/people.json?shallow=true", "/people.json?orderBy=%22_search_index/full_name%22&startAt=%22an%22",
                "/people/anna.json",
            ] {
                for uid in ["paul", "guest", ""] {
                    let answer = try await service.send(path, of: uid)
                    #expect(answer.status == 401, "\(path) \(uid): \(answer.text)")
                }
            }
        }
    }
}
