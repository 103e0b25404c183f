import Client
import Foundation
import HTTPTypes
import Imaging
import Model
import Requests
import Server
import Service
import TestSupport
import Testing
import Tree
import Uploads

@Suite("38: People have pictures", .timeLimit(.minutes(20)))
struct SocialAvatarTests {
    private func put(
        _ bytes: [UInt8], of uid: String = "maria", as sender: String = "maria", _ service: Service,
        headers: HTTPFields = [:]
    ) async throws -> Answer {
        var all = try service.headers(of: sender)
        for field in headers { all.append(field) }
        return try await service.tcpClient.ask(.put, "/v1/people/\(uid)/avatar", headers: all, body: .bytes(bytes))
    }

    @Test("38: A picture is sent as plain bytes, the answer has its address, and posts, comments and feeds show it")
    func life() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "jan")
            let post = try #require(try await service.client.post("hello"))
            let first = try await put(try fixture("size-640x480.jpg"), service)
            let address = try #require(first.json["profile_picture"].string, "\(first.text)")
            #expect(first.status == 200 && first.json["uid"].string == "maria")
            #expect(first.json["full_name"].string == "maria")
            #expect(address.hasPrefix("/media/maria/") && address.hasSuffix(".jpg"))
            let file = try await service.tcpClient.get(address)
            #expect(file.status == 200 && file.headers[.contentType] == "image/jpeg")
            #expect(file.headers[.cacheControl]?.contains("immutable") == true)
            let size = try ImageHeader.read(file.body.span).size
            #expect(size.width == 480 && size.height == 480)
            let original = address.split(separator: "/").dropLast().joined(separator: "/")
            #expect(try await service.ask(.get, "/\(original)/original.jpg", as: "jan").status == 404)
            try await eventually {
                try await service.client.get("/v1/posts/\(post)").json["author"]["profile_picture"].string == address
            }
            // The next picture has another address; clients that show the old one are not disturbed.
            let second = try await put(try fixture("rgb-8.png"), service)
            let next = try #require(second.json["profile_picture"].string)
            #expect(next != address)
            #expect(try await service.tcpClient.get(address).status == 200)
            #expect(try await service.client.get("/v1/posts").json["posts"].array.count == 1, "it is no post")
            let removed = try await service.ask(.delete, "/v1/people/maria/avatar", as: "maria")
            #expect(removed.status == 200 && removed.json["profile_picture"] == .null, "\(removed.text)")
            #expect(removed.headers[.named("tintype-token")] != nil)
            #expect(try await service.ask(.delete, "/v1/people/maria/avatar", as: "maria").status == 200)
            #expect(try await service.tcpClient.get(next).status == 200)
            try await eventually {
                try await service.client.get("/v1/posts/\(post)").json["author"]["profile_picture"] == .null
            }
        }
    }

    @Test("A service with a public address uses it for pictures, in people, posts and comments")
    func publicAddress() async throws {
        let origin = "https://photos.example"
        try await withService(changeServer: { $0.publicURL = PublicURL(origin) }) { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria")
            let sent = try await put(try fixture("size-640x480.jpg"), service)
            let address = try #require(sent.json["profile_picture"].string, "\(sent.text)")
            #expect(address.hasPrefix("\(origin)/v0/b/tintype.appspot.com/o/maria%2Frendition%2F"), "\(address)")
            #expect(try await service.tcpClient.get(String(address.dropFirst(origin.count))).status == 200)
            let post = try await service.ask(.post, "/v1/uploads?text=hello", as: "maria")
            let id = try #require(post.json["post_id"].string, "\(post.text)")
            let comment = try await service.ask(
                .post, "/v1/posts/\(id)/comments", as: "maria", #"{"text":"Nice"}"#)
            for author in [post.json["post"]["author"], comment.json["author"]] {
                #expect(author["profile_picture"].string == address, "\(author)")
            }
        }
    }

    @Test("38: A file that is no picture, is too large, or is another user's is refused, and changes nothing")
    func refused() async throws {
        try await withService(change: { $0.limits.maxInputBytes = 100_000 }) { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "jan")
            let photo = try fixture("rgb-8.png")
            let text = Array("no picture at all, but rather a text".utf8)
            for (answer, status, code) in [
                (try await put(text, service), 415, "unsupported_format"),
                (try await put([], service), 400, "empty"),
                (try await put(Array(photo.prefix(60)), service), 422, "truncated"),
                (try await put([UInt8](repeating: 0, count: 200_000), service), 413, "too_large_bytes"),
                (try await put(photo, service, headers: [.contentType: "application/json"]), 415, "unsupported_type"),
                (try await put(photo, service, headers: Form.contentType), 415, "unsupported_type"),
                (try await put(photo, as: "jan", service), 403, "not_allowed"),
                (try await put(photo, of: "zoe", as: "zoe", service), 404, "not_found"),
                (try await service.ask(.delete, "/v1/people/maria/avatar", as: "jan"), 403, "not_allowed"),
                (try await service.ask(.delete, "/v1/people/zoe/avatar", as: "zoe"), 404, "not_found"),
                (try await service.ask(.delete, "/v1/people/maria/avatar", as: nil), 401, "permission_denied"),
            ] {
                #expect(answer.json["code"].string == code && answer.status == status, "\(answer.text)")
            }
            #expect(try await service.client.get("/v1/people/maria").json["profile_picture"] == .null)
            try await service.untilNothingIsUnfinished()
            // An admin may do it for any user.
            let done = try await service.client.ask(.put, "/v1/people/jan/avatar", body: .bytes(photo))
            #expect(done.status == 200 && done.json["uid"].string == "jan", "\(done.text)")
            let id = done.json["profile_picture"].string?.split(separator: "/").dropFirst(2).first ?? ""
            let upload = try await service.client.get("/v1/uploads/\(id)").json
            #expect(upload["purpose"].string == "avatar" && upload["post"] == .null, "\(upload)")
        }
    }

    @Test("38: A client that does not wait gets the address of the upload")
    func later() async throws {
        try await withService { service in
            try await service.addPeople("maria")
            let answer = try await put(
                try fixture("rgb-8.png"), service, headers: [.named("prefer"): "respond-async"])
            #expect(answer.status == 202 && answer.json["purpose"].string == "avatar", "\(answer.text)")
            let place = try #require(answer.headers[.location])
            try await eventually { try await service.client.get(place).json["state"].string == "published" }
            #expect(try await service.client.get("/v1/people/maria").json["profile_picture"].string != nil)
        }
    }

    @Test("38: Files of avatars follow the storage rules of renditions")
    func rules() async throws {
        try await withService { service in
            try await service.addPeople("maria", "jan")
            let rules = """
                rules_version = '2';
                service firebase.storage { match /b/{bucket}/o {
                  match /{uid}/rendition/{post}/{file} { allow read: if request.auth.uid == uid; }
                } }
                """
            let set = try await service.client.ask(
                .put, "/v1/storage-rules", headers: [.contentType: "text/plain"], body: .bytes(Array(rules.utf8)))
            #expect(set.status == 200, "\(set.text)")
            let address = try #require(try await put(try fixture("rgb-8.png"), service).json["profile_picture"].string)
            #expect(try await service.ask(.get, address, as: "maria").status == 200)
            #expect(try await service.ask(.get, address, as: "jan").status == 404)
            #expect(try await service.ask(.get, address, as: nil).status == 404)
        }
    }
}
