import Client
import Foundation
import HTTPTypes
import Pipeline
import Posts
import TestSupport
import Testing
import Tree

@testable import Server

@Suite("What FriendlyPix's apps do with photos", .timeLimit(.minutes(30)))
struct StoragePostTests {
    @Test("S12: Two uploads and one update become a post with photos of ours, at addresses that apps fetch")
    func web() async throws {
        let photo = try fixture("exif-gps.jpg")
        try await withService { service in
            try await service.setDefaultRules()
            let client = try StorageClient(service, as: "u1")
            let id = service.pipeline.storage.ids.next().description
            let (full, thumb) = ("u1/full/\(id)/a.jpg", "u1/thumb/\(id)/a.jpg")
            let origin = "http://127.0.0.1:\(service.tcpPort)"
            var urls: [String] = []
            for name in [full, thumb] {
                let token = try #require(try await client.upload(photo, as: name).json["downloadTokens"].string)
                urls.append("\(origin)\(client.path(name, "alt=media&token=\(token)"))")
            }
            let author = #"{"uid":"u1","full_name":"Anonymous","profile_picture":"https://x.example/p.jpg"}"#
            let post = """
                {"full_url":"\(urls[0])","thumb_url":"\(urls[1])","text":"#sunny","client":"web",\
                "timestamp":{".sv":"timestamp"},"full_storage_uri":"gs://\(client.bucket)/\(full)",\
                "thumb_storage_uri":"gs://\(client.bucket)/\(thumb)","author":\(author)}
                """
            var headers = try service.headers(of: "u1")
            headers[.contentType] = "application/json"
            let person = #"{"full_name":"Anonymous","profile_picture":"https://x.example/p.jpg"}"#
            #expect(
                try await service.tcpClient.ask(
                    .patch, "/people/u1.json", headers: headers, body: .bytes(Array(person.utf8))
                ).status == 200)
            let update = #"{"posts/\#(id)":\#(post),"people/u1/posts/\#(id)":true,"feed/u1/\#(id)":true}"#
            let answer = try await service.tcpClient.ask(
                .patch, "/.json", headers: headers, body: .bytes(Array(update.utf8)))
            #expect(answer.status == 200, "\(answer.text)")
            try await eventually { try await service.tcpClient.get("/posts/\(id)/photos.json").json != .null }

            let stored = try await service.tcpClient.get("/posts/\(id).json").json
            #expect(stored["full_url"].string == urls[0] && stored["kind"].string == "photo_text")
            let ours = try #require(stored["thumb_url"].string)
            #expect(ours != urls[1] && ours.hasPrefix("\(origin)/v0/b/\(client.bucket)/o/u1%2Frendition%2F"))
            for url in [ours, urls[0]] {
                let fetched = try await service.tcpClient.get(String(url.dropFirst(origin.count)))
                #expect(fetched.status == 200 && fetched.headers[.contentType] == "image/jpeg", "\(url)")
            }
            let rendition = try #require(stored["photos"][0]["renditions"]["thumb"]["url"].string)
            #expect(try await service.tcpClient.get(rendition).status == 200)
            // It is listed and shown as a post of the photo API.
            let listed = try await service.tcpClient.get("/v1/posts").json["posts"].array
            #expect(listed.map { $0["post_id"].string } == [id] && listed[0]["photos"].array.count == 1, "\(listed)")
            #expect(try await service.tcpClient.get("/hashtags/sunny/\(id).json").json.bool == true)

            // The renditions are objects, too: described with a token, not to be written.
            let name = String(ours.dropFirst("\(origin)\(client.root)/".count).prefix { $0 != "?" })
            let described = try await client.ask(.get, "\(client.root)/\(name)")
            #expect(described.json["contentType"].string == "image/jpeg" && described.status == 200)
            #expect(described.json["downloadTokens"].string?.isEmpty == false)
            #expect(try await client.ask(.delete, "\(client.root)/\(name)").status == 403)
            let original = name.replacing("rendition", with: "original").replacing(/[^F]+$/, with: "original.jpg")
            #expect(try await client.ask(.get, "\(client.root)/\(original)?alt=media").status == 200)
            let stranger = try StorageClient(service, as: "u2")
            #expect(try await stranger.ask(.get, "\(client.root)/\(original)?alt=media").status == 404)

            // The app deletes the post, and then what it knows of: nothing is left, and nothing is an error.
            let removal = #"{"posts/\#(id)":null,"people/u1/posts/\#(id)":null,"feed/u1/\#(id)":null}"#
            #expect(
                try await service.tcpClient.ask(
                    .patch, "/.json", headers: headers, body: .bytes(Array(removal.utf8))
                ).status == 200)
            for path in [client.path(full), client.path(thumb), "\(client.root)/\(name)"] {
                #expect(try await client.ask(.delete, path).status == 204, "\(path)")
            }
        }
    }
}
