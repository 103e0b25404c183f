import Access
import Client
import Foundation
import HTTPTypes
import Model
import Requests
import Server
import Service
import TestSupport
import Testing
import Tree
import Uploads

@Suite("C14: Photos of a post for an audience are for its members alone", .timeLimit(.minutes(20)))
struct AudienceMediaTests {
    /// A post for an audience, and the addresses of its files.
    struct Posted: Sendable {
        let id: String
        let rendition: String
        let original: String
    }

    /// Runs a body with a service in which maria has posted a photo for class `c`, which jan reads.
    private func withPost(
        at origin: String = "", _ body: @Sendable (Service, Posted) async throws -> Void
    ) async throws {
        let photo = try fixture("exif-gps.jpg")
        try await withService(changeServer: { $0.publicURL = PublicURL(origin) }) { service in
            try await service.setDefaultRules()
            try await service.tree.set(
                "audiences/c", to: ["name": "7b", "kind": "class", "members": ["maria": "owner", "jan": "reader"]])
            let answer = try await service.tcpClient.ask(
                .post, "/v1/uploads?audiences=c&text=hello", headers: try service.headers(of: "maria"),
                body: .bytes(photo))
            #expect(answer.status == 201, "\(answer.text)")
            let id = try #require(answer.json["post_id"].string)
            let url = try #require(answer.json["post"]["full_url"].string)
            let path = url.dropFirst(origin.count).replacing(/[?&]token=.*/, with: "")
            try await body(
                service,
                Posted(id: id, rendition: String(path), original: "/media/maria/\(id)/original.jpg"))
        }
    }

    /// The statuses of the answers to a user who requests a file over TCP, with every kind of read request.
    private func statuses(_ path: String, as uid: String?, _ service: Service) async throws -> Set<Int> {
        let sender = try uid.map { try service.headers(of: $0) } ?? [:]
        var statuses: Set<Int> = []
        let conditions: [HTTPFields] = [[:], [.range: "bytes=0-9"], [.ifNoneMatch: "*"]]
        for (method, headers) in conditions.map({ (HTTPRequest.Method.get, $0) }) + [(.head, [:])] {
            var fields = sender
            for field in headers { fields.append(field) }
            let answer = try await service.tcpClient.ask(method, path, headers: fields)
            statuses.insert(answer.status)
            if answer.status >= 400 { #expect(!answer.body.starts(with: [0xFF, 0xD8])) }
            #expect(answer.headers[.cacheControl]?.contains("public") != true, "\(path) \(uid ?? "-")")
        }
        return statuses
    }

    @Test("Members, the author and admins get the renditions; others get neither these nor the original")
    func who() async throws {
        try await withPost { service, post in
            for uid in ["maria", "jan"] {
                #expect(try await statuses(post.rendition, as: uid, service) == [200, 206, 304], "\(uid)")
            }
            #expect(try await service.client.get(post.rendition).status == 200)
            let answer = try await service.tcpClient.get(post.rendition, headers: try service.headers(of: "jan"))
            #expect(answer.headers[.cacheControl]?.hasPrefix("private") == true)
            #expect(try await statuses(post.original, as: "maria", service) == [200, 206, 304])
            #expect(try await statuses(post.original, as: "jan", service) == [404], "the storage rules hold as well")
            for (path, uid) in [post.rendition, post.original].flatMap({ [($0, nil), ($0, "eve")] }) {
                #expect(try await statuses(path, as: uid, service) == [404], "as of a file that is not there")
                #expect(try await statuses(path + "?location=keep", as: uid, service) == [404])
                #expect(try await statuses(path + "?token=x", as: uid, service) == [404])
            }
        }
    }

    @Test("A former member gets nothing, and neither does any user when the audience has been deleted")
    func former() async throws {
        try await withPost { service, post in
            try await service.tree.set("audiences/c/members/jan", to: nil)
            #expect(try await statuses(post.rendition, as: "jan", service) == [404])
            #expect(try await service.ask(.get, "/v1/posts/\(post.id)", as: "jan").status == 404)
            #expect(try await service.ask(.get, "/stories/c.json", as: "jan").status == 401)
            try await service.tree.set("audiences/c/members/jan", to: "reader")
            #expect(try await statuses(post.rendition, as: "jan", service) == [200, 206, 304])
            try await service.tree.set("audiences/c", to: nil)
            #expect(try await statuses(post.rendition, as: "jan", service) == [404])
            #expect(try await statuses(post.rendition, as: nil, service) == [404])
        }
    }

    @Test("A user who names a foreign photo in a post of their own gets no signed address of it")
    func stolen() async throws {
        try await withPost { service, post in
            let audience: TreeValue = ["name": "e", "kind": "group", "members": ["eve": "owner"]]
            try await service.tree.set("audiences/e", to: audience)
            let rendition: TreeValue = ["url": .string(post.rendition), "width": 8, "height": 8]
            let photo: TreeValue = ["width": 8, "height": 8, "renditions": ["full": rendition] as TreeValue]
            let record: TreeValue = [
                "author": ["uid": "eve", "full_name": "Eve"], "text": "mine", "timestamp": 1,
                "full_url": .string(post.rendition), "thumb_url": .string(post.original), "audiences": ["e": true],
                "photos": ["0": photo] as TreeValue,
            ]
            for id in ["-PzzzzzzzzzzzzzzzzzA", post.id + "A"] {
                try await service.tree.set(try TreePath("audience_posts/\(id)"), to: record)
            }
            let stories = try await service.ask(.get, "/v1/audiences/e/posts", as: "eve")
            #expect(stories.json["posts"].array.count == 2, "\(stories.text)")
            #expect(!stories.text.contains("token="))
        }
    }

    @Test("Rules that open every file to all clients do not open this one")
    func rules() async throws {
        try await withPost { service, post in
            let rules = """
                rules_version = '2';
                service firebase.storage { match /b/{bucket}/o { match /{all=**} { allow get; } } }
                """
            let set = try await service.client.ask(
                .put, "/v1/storage-rules", headers: [.contentType: "text/plain"], body: .bytes(Array(rules.utf8)))
            #expect(set.status == 200)
            for path in [post.rendition, post.original] {
                #expect(try await statuses(path, as: "jan", service) == [200, 206, 304])
                #expect(try await statuses(path, as: nil, service) == [404])
                #expect(try await statuses(path, as: "eve", service) == [404])
            }
            let listed = try await service.ask(.get, "/v1/posts/\(post.id)/originals", as: "eve")
            #expect(listed.status == 404)
        }
    }

    @Test("A reader of the post gets signed addresses, which work without a token for a while")
    func signed() async throws {
        try await withPost { service, post in
            for uid in ["jan", "maria"] {
                let answer = try await service.ask(.get, "/v1/posts/\(post.id)", as: uid)
                #expect(answer.status == 200, "\(answer.text)")
                let url = try #require(answer.json["photos"][0]["renditions"]["full"]["url"].string)
                #expect(url.hasPrefix(post.rendition + "?token="))
                let file = try await service.tcpClient.get(url)
                #expect(file.status == 200)
                #expect(file.headers[.cacheControl]?.hasPrefix("private") == true)
                #expect(try await service.tcpClient.get(url + "x").status == 404)
            }
            let originals = try await service.ask(.get, "/v1/posts/\(post.id)/originals", as: "maria")
            let address = try #require(originals.json["urls"][0].string)
            #expect(try await service.tcpClient.get(address).status == 200)
            for (method, path) in requests(about: post.id).dropFirst() {
                #expect(try await service.ask(method, path, as: "jan").status == 403, "\(method) \(path)")
            }
        }
    }

    private func requests(about id: String) -> [(HTTPRequest.Method, String)] {
        [
            (.get, "/v1/posts/\(id)"), (.get, "/v1/posts/\(id)/originals"), (.post, "/v1/posts/\(id)/scrub"),
            (.delete, "/v1/posts/\(id)"),
        ]
    }

    @Test("Other users cannot distinguish it from a post that does not exist", arguments: [nil, "eve"] as [String?])
    func untold(uid: String?) async throws {
        try await withPost { service, post in
            let missing = String(post.id.dropLast()) + (post.id.hasSuffix("A") ? "B" : "A")
            for (there, not) in zip(requests(about: post.id), requests(about: missing)) {
                let one = try await service.ask(there.0, there.1, as: uid)
                let other = try await service.ask(not.0, not.1, as: uid)
                #expect(one.status == 404 && other.status == 404, "\(there)")
                let words = one.json["detail"].string?.replacing(post.id, with: missing)
                #expect(words == other.json["detail"].string, "\(there)")
            }
            for id in [post.id, missing] {
                #expect(try await service.ask(.get, "/posts/\(id)", as: nil).status == 404, "the page")
            }
        }
    }

    @Test("The whole addresses of a service with a public URL are for members alone, too, by token or signed")
    func publicAddress() async throws {
        let origin = "https://photos.example"
        try await withPost(at: origin) { service, post in
            #expect(post.rendition.hasPrefix("/v0/b/"))
            for uid in ["maria", "jan"] {
                #expect(try await statuses(post.rendition, as: uid, service) == [200, 206, 304], "\(uid)")
                let answer = try await service.ask(.get, "/v1/posts/\(post.id)", as: uid)
                let url = try #require(answer.json["photos"][0]["renditions"]["full"]["url"].string)
                #expect(url.hasPrefix(origin + post.rendition + "&token="))
                let file = try await service.tcpClient.get(String(url.dropFirst(origin.count)))
                #expect(file.status == 200 && file.headers[.cacheControl]?.hasPrefix("private") == true)
            }
            #expect(try await statuses(post.rendition, as: "eve", service) == [404])
            #expect(try await statuses(post.rendition, as: nil, service) == [404])
            let original = post.rendition.replacing("rendition", with: "original")
                .replacing(/[^F]+\?/, with: "original.jpg?")
            #expect(try await statuses(original, as: "jan", service).isDisjoint(with: [200, 206]))
        }
    }

    @Test("A deleted post opens nothing while its files still exist, whatever clients write at its path")
    func takenOver() async throws {
        try await withPost { service, post in
            #expect(try await service.ask(.delete, "/v1/posts/\(post.id)", as: "maria").status == 200)
            let author = #""author":{"uid":"eve","full_name":"eve"},"timestamp":{".sv":"timestamp"},"text":"x""#
            for (path, body, status) in [
                ("/audiences/e.json", #"{"name":"e","kind":"group","members":{"eve":"owner","jan":"reader"}}"#, 200),
                ("/audience_posts/\(post.id).json", #"{\#(author),"audiences":{"e":true}}"#, 401),
                ("/posts/\(post.id).json", "{\(author)}", 401),
            ] {
                let answer = try await service.ask(.put, path, as: "eve", body)
                #expect(answer.status == status, "\(answer.text)")
            }
            // Without an author the post has no owner.
            let nobodys: TreeValue = ["timestamp": 1, "text": "x", "audiences": ["e": true]]
            for posts in ["audience_posts", "posts"] as [TreePath] {
                try await service.tree.set(posts / TreeKey(unchecked: post.id), to: nobodys)
            }
            for uid in ["eve", "jan", nil] {
                #expect(try await statuses(post.rendition, as: uid, service) == [404], "\(uid ?? "-")")
            }
            #expect(try await statuses(post.rendition, as: "maria", service) == [200, 206, 304])
        }
    }

    @Test("The post does not appear in anything that all clients read")
    func lists() async throws {
        try await withPost { service, post in
            for path in ["/v1/posts", "/v1/people/maria/posts", "/v1/people/maria/feed", "/v1/hashtags/hello/posts"] {
                let answer = try await service.client.get(path)
                #expect(!answer.text.contains(post.id), "\(path)")
            }
            for path in ["posts", "people", "feed", "hashtags", "stats", "likes", "comments", "followers"] {
                #expect(try await service.client.get("/\(path).json").text.contains(post.id) == false, "\(path)")
            }
            let story = try await service.ask(.get, "/stories/c.json", as: "jan")
            #expect(story.json[post.id]["text"].string == "hello")
            #expect(try await service.ask(.get, "/stories/c.json", as: "eve").status == 401)
            #expect(try await service.ask(.get, "/audience_posts/\(post.id).json", as: "jan").status == 401)
            #expect(try await service.ask(.get, "/memberships/jan.json", as: "jan").json["c"].string == "reader")
        }
    }
}
