import Client
import Foundation
import HTTPTypes
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Requests

@Suite("Photos in FriendlyPix's apps", .timeLimit(.minutes(20)))
struct StoragePostTests {
    /// A post in the form of FriendlyPix's web client: two uploads and one update.
    private struct Posted: Sendable {
        let id: String
        let full: String
        let thumb: String
        let urls: [String]
        let headers: HTTPFields

        /// Updates the tree as the app's user.
        func update(_ json: String, in service: Service) async throws {
            let answer = try await service.tcpClient.ask(
                .patch, "/.json", headers: headers, body: .bytes(Array(json.utf8)))
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    private func post(_ client: StorageClient, from origin: String) async throws -> Posted {
        let (service, photo) = (client.service, try fixture("exif-gps.jpg"))
        try await service.setDefaultRules()
        let id = service.pipeline.storage.ids.next().description
        let (full, thumb) = ("u1/full/\(id)/a.jpg", "u1/thumb/\(id)/a.jpg")
        var urls: [String] = []
        for name in [full, thumb] {
            let token = try #require(try await client.upload(photo, as: name).json["downloadTokens"].string)
            urls.append("\(origin)\(client.path(name, "alt=media&token=\(token)"))")
        }
        var headers = try service.headers(of: "u1")
        headers[.contentType] = "application/json"
        let posted = Posted(id: id, full: full, thumb: thumb, urls: urls, headers: headers)
        let person = #"{"full_name":"Anonymous","profile_picture":"https://x.example/p.jpg"}"#
        try await posted.update(#"{"people/u1/full_name":"Anonymous"}"#, in: service)
        let author = #"{"uid":"u1",\#(person.dropFirst())"#
        let post = """
            {"full_url":"\(urls[0])","thumb_url":"\(urls[1])","text":"#sunny","client":"web",\
            "timestamp":{".sv":"timestamp"},"full_storage_uri":"gs://\(client.bucket)/\(full)",\
            "thumb_storage_uri":"gs://\(client.bucket)/\(thumb)","author":\(author)}
            """
        try await posted.update(
            #"{"posts/\#(id)":\#(post),"people/u1/posts/\#(id)":true,"feed/u1/\#(id)":true}"#, in: service)
        try await eventually { try await service.tcpClient.get("/posts/\(id)/photos.json").json != .null }
        return posted
    }

    @Test("S12: Two uploads and one update become a post with renditions of ours, at addresses that apps can load")
    func web() async throws {
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            let origin = "http://127.0.0.1:\(service.tcpPort)"
            let posted = try await post(client, from: origin)
            let stored = try await service.tcpClient.get("/posts/\(posted.id).json").json
            #expect(stored["full_url"].string == posted.urls[0] && stored["kind"].string == "photo_text")
            let ours = try #require(stored["thumb_url"].string)
            #expect(ours.hasPrefix("\(origin)/v0/b/\(client.bucket)/o/u1%2Frendition%2F"))
            for url in [ours, posted.urls[0]] {
                let fetched = try await service.tcpClient.get(String(url.dropFirst(origin.count)))
                #expect(fetched.status == 200 && fetched.headers[.contentType] == "image/jpeg", "\(url)")
            }
            let rendition = try #require(stored["photos"][0]["renditions"]["thumb"]["url"].string)
            #expect(try await service.tcpClient.get(rendition).status == 200)
            // The post is listed and shown by the photo API.
            let listed = try await service.tcpClient.get("/v1/posts").json["posts"].array
            #expect(listed.map { $0["post_id"].string } == [posted.id] && listed[0]["photos"].array.count == 1)
            #expect(try await service.tcpClient.get("/hashtags/sunny/\(posted.id).json").json.bool == true)
        }
    }

    /// Rules that let an app store photos, and let no client read them without a token.
    private static let closed = """
        service firebase.storage {
          match /b/{bucket}/o {
            match /{uid}/{kind}/{post}/{file} {
              allow write: if request.auth.uid == uid
            }
          }
        }
        """
    /// Rules that let all clients read all files.
    private static let open = closed.replacing("allow write", with: "allow read; allow write")

    private func set(_ rules: String, in service: Service) async throws {
        let answer = try await service.client.ask(
            .put, "/v1/storage-rules", headers: [.contentType: "text/plain"], body: .bytes(Array(rules.utf8)))
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("A post names the app's own thumbnail, whose address has a token, unless all clients may read renditions")
    func closedRenditions() async throws {
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            let origin = "http://127.0.0.1:\(service.tcpPort)"
            try await set(Self.closed, in: service)
            let posted = try await post(client, from: origin)
            func thumb() async throws -> String {
                let address = "/posts/\(posted.id)/thumb_url.json"
                return try #require(try await service.tcpClient.get(address).json.string)
            }
            func rethumb(isDryRun: Bool = false) async throws -> Int {
                try await Rethumb(service.pipeline.tools, selection: .init(), isDryRun: isDryRun).run { _ in }.switched
            }
            #expect(try await thumb() == posted.urls[1])
            #expect(try await service.tcpClient.get(String(try await thumb().dropFirst(origin.count))).status == 200)
            let listed = try await service.tcpClient.get("/v1/posts/\(posted.id)").json
            #expect(listed["thumb_url"].string == posted.urls[1] && listed["full_url"].string == posted.urls[0])
            #expect(try await rethumb() == 0, "it names what it should")

            // Earlier posts follow a change of the rules when they are rendered again, which the change does not cause.
            try await set(Self.open, in: service)
            #expect(try await thumb() == posted.urls[1])
            #expect(try await rethumb(isDryRun: true) == 1)
            #expect(try await rethumb() == 1)
            let ours = try await thumb()
            #expect(ours.hasPrefix("\(origin)/v0/b/\(client.bucket)/o/u1%2Frendition%2F"), "\(ours)")
            #expect(try await service.tcpClient.get(String(ours.dropFirst(origin.count))).status == 200)
            try await set(Self.closed, in: service)
            #expect(try await service.tcpClient.get(String(ours.dropFirst(origin.count))).status == 404)
            #expect(try await rethumb() == 1)
            #expect(try await thumb() == posted.urls[1])
            #expect(try await rethumb() == 0)

            // Without the app's own thumbnail, the service's rendition is the best choice.
            try await set(Self.open, in: service)
            #expect(try await rethumb() == 1)
            #expect(try await client.ask(.delete, client.path(posted.thumb)).status == 204)
            try await set(Self.closed, in: service)
            #expect(try await rethumb() == 0)
            #expect(try await thumb() == ours)
        }
    }

    @Test("Renditions and originals are objects, too, and are deleted with their post")
    func files() async throws {
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            let posted = try await post(client, from: "http://127.0.0.1")
            let ours = try #require(
                try await service.tcpClient.get("/posts/\(posted.id)/thumb_url.json").json.string)
            let path = try #require(ours.firstMatch(of: /\/v0\/[^?]+/)?.0).description
            let described = try await client.ask(.get, path)
            #expect(described.status == 200 && described.json["contentType"].string == "image/jpeg")
            #expect(described.json["downloadTokens"].string?.isEmpty == false)
            #expect(try await client.ask(.delete, path).status == 403)
            let original = path.replacing("%2Frendition%2F", with: "%2Foriginal%2F")
                .replacing(/[^F]+$/, with: "original.jpg?alt=media")
            #expect(try await client.ask(.get, original).status == 200)
            let stranger = try StorageClient(service, as: "u2")
            #expect(try await stranger.ask(.get, original).status == 404)

            // The app deletes the post, and then the files that it has a record of: nothing is left, and nothing is an
            // error.
            let (id, full, thumb) = (posted.id, posted.full, posted.thumb)
            try await posted.update(
                #"{"posts/\#(id)":null,"people/u1/posts/\#(id)":null,"feed/u1/\#(id)":null}"#, in: service)
            for path in [client.path(full), client.path(thumb), path] {
                #expect(try await client.ask(.delete, path).status == 204, "\(path)")
            }
        }
    }

    @Test("S15: With a public address, posts of all kinds contain it, and their files exist there")
    func publicAddress() async throws {
        let url = try #require(PublicURL("https://photos.example"))
        try await withService(changeServer: { $0.publicURL = url }) { service in
            let client = try StorageClient(service, as: "u1")
            let prefix = "https://photos.example/v0/b/\(client.bucket)/o/"
            let posted = try await post(client, from: "http://10.0.0.1")
            let thumb = try await service.tcpClient.get("/posts/\(posted.id)/thumb_url.json").json.string
            #expect(thumb?.hasPrefix(prefix + "u1%2Frendition%2F") == true, "\(thumb ?? "")")

            let answer = try await service.client.post(try fixture("exif-gps.jpg"))
            let (own, id) = (answer["post"], try #require(answer["post_id"].string))
            for text in [own["full_url"], own["thumb_url"], own["photos"][0]["renditions"]["thumb"]["url"]] {
                let address = try #require(text.string)
                #expect(address.hasPrefix("\(prefix)\(own["author"]["uid"].string ?? "")%2Frendition%2F\(id)%2F"))
                let fetched = try await service.tcpClient.get(String(address.dropFirst("https://photos.example".count)))
                #expect(fetched.status == 200 && fetched.headers[.cacheControl]?.contains("immutable") == true)
            }
        }
    }
}
