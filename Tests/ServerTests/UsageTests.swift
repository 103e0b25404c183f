import API
import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("How much room files take up, over HTTP", .timeLimit(.minutes(10)))
struct UsageTests {
    @Test("Admins see everybody's, in pages, and each user their own alone")
    func pages() async throws {
        try await withService { service in
            let photo = try Fixture.bytes("photo.jpg")
            for user in ["anna", "maria"] { _ = try await service.client.post(photo, by: user) }
            let first = try await service.client.get("/v1/usage?limit=1").json
            #expect(first["users"][0]["user"].string == "anna" && first["users"][1]["user"].string == nil)
            #expect(first["complete"].bool == true && first["has_more"].bool == true)
            #expect(first["all"]["originals"]["bytes"].int == 2 * photo.count && first["all"]["user"].string == nil)
            let next = try #require(first["next"].string)
            let second = try await service.client.get("/v1/usage?limit=1&after=\(next)").json
            #expect(second["users"][0]["user"].string == "maria" && second["has_more"].bool == false)
            #expect(
                second["users"][0]["originals"]["files"].int == 1 && second["users"][0]["renditions"]["files"].int == 5)

            let maria = try await service.client.get("/v1/usage/maria").json
            #expect(maria["user"].string == "maria" && maria["originals"]["bytes"].int == photo.count)
            #expect(maria["used"].int == photo.count && maria["quota"].int == nil)
            #expect(try await service.client.get("/v1/usage/nobody").status == 404)
            #expect(try await service.client.get("/v1/usage?limit=0").status == 400)
            #expect(try await service.client.get("/v1/usage?after=a%2Fb").status == 400)
            #expect(try await service.tcpClient.get("/v1/usage").status == 403)
            #expect(try await service.tcpClient.get("/v1/usage/maria").status == 401)
        }
    }

    @Test("A quota that an admin has set is kept to, before bytes are read where their number is known")
    func quota() async throws {
        try await withService { service in
            let photo = try Fixture.bytes("photo.jpg")
            _ = try await service.client.post(photo)
            let json: HTTPFields = [.contentType: "application/json"]
            func set(_ quota: String, of user: String = "maria") async throws -> Answer {
                try await service.client.ask(
                    .put, "/v1/usage/\(user)/quota", headers: json, body: .bytes(Array(#"{"quota": \#(quota)}"#.utf8)))
            }
            let answer = try await set("\(photo.count + 10)")
            #expect(answer.status == 200 && answer.json["quota"].int == photo.count + 10)
            let refused = try await service.client.ask(.post, "/v1/uploads?user=maria", body: .bytes(photo))
            #expect(refused.status == 507 && refused.json["code"].string == "quota_exceeded", "\(refused.text)")
            #expect(refused.json["used"].int == photo.count && refused.json["quota"].int == photo.count + 10)
            #expect(refused.json["needed"].int == photo.count)
            let stored = try await StorageClient(service, as: "maria").upload(photo, as: "maria/full/1/a.jpg")
            #expect(stored.status == 402, "\(stored.status) \(stored.text)")
            #expect(try await set(#""none""#).json["quota"].int == nil)
            #expect(try await service.client.ask(.post, "/v1/uploads?user=maria", body: .bytes(photo)).status == 201)
            for wrong in ["-1", "true", #""lots""#, "1.5"] { #expect(try await set(wrong).status == 400, "\(wrong)") }
            #expect(try await set("5", of: "nobody").status == 404)
            #expect(try await service.tcpClient.ask(.put, "/v1/usage/maria/quota", headers: json).status == 403)
        }
    }
}
