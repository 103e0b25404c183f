import API
import Access
import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("The disk usage of files, over HTTP", .timeLimit(.minutes(10)))
struct UsageTests {
    @Test("Admins see the usage of all users, in pages, and each user sees their own alone")
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

    @Test("A quota set by an admin is enforced, before bytes are read where their number is known")
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
            #expect(answer.json["quota_for"].string == "user")
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

    @Test("Self-created accounts have a quota, a larger one with an address, until an admin sets another one")
    func selfMade() async throws {
        try await withService { service in
            let toolkit = "/identitytoolkit.googleapis.com/v1"
            func ask(_ path: String, _ body: String, by client: ServiceClient) async throws -> JSON {
                try await client.ask(
                    .post, "\(toolkit)/\(path)", headers: [.contentType: "application/json"],
                    body: .bytes(Array(body.utf8))
                ).json
            }
            func quota(of uid: String) async throws -> JSON { try await service.client.get("/v1/usage/\(uid)").json }
            let guest = try await ask("accounts:signUp?key=x", "{}", by: service.tcpClient)
            let (uid, token) = (try #require(guest["localId"].string), try #require(guest["idToken"].string))
            let photo = try Fixture.bytes("photo.jpg")
            let sent = try await service.tcpClient.ask(
                .post, "/v1/uploads", headers: [.authorization: "Bearer \(token)"], body: .bytes(photo))
            #expect(sent.status == 201, "\(sent.text)")
            let tus = TusClient(client: service.tcpClient, path: "/v1/uploads")
            var refused: [Answer] = []
            for _ in 0..<20 {
                let answer = try await tus.create(["upload-length": "\(5 << 20)", "authorization": "Bearer \(token)"])
                if answer.status != 201 { refused.append(answer) }
            }
            #expect(refused.count == 11)
            for answer in refused {
                #expect(answer.status == 507 && answer.json["code"].string == "quota_exceeded", "\(answer.text)")
                #expect(answer.json["quota"].int == 50 << 20 && answer.json["quota_for"].string == "anonymous")
            }
            #expect(try await quota(of: uid)["used"].int == photo.count + 9 * 5 << 20)

            let named = try await ask(
                "accounts:signUp?key=x",
                #"{"idToken":"\#(token)","email":"ann@example.com","password":"correct horse","returnSecureToken":true}"#,
                by: service.tcpClient)
            #expect(named["localId"].string == uid, "\(named)")
            var usage = try await quota(of: uid)
            #expect(usage["quota"].int == 1 << 30 && usage["quota_for"].string == "signed-up", "\(usage)")
            for (amount, bytes, scope) in [("1000", 1000, "user"), (#""default""#, 1 << 30, "signed-up")] {
                usage = try await service.client.ask(
                    .put, "/v1/usage/\(uid)/quota", headers: [.contentType: "application/json"],
                    body: .bytes(Array(#"{"quota":\#(amount)}"#.utf8))
                ).json
                #expect(usage["quota"].int == bytes && usage["quota_for"].string == scope, "\(usage)")
            }
            let project = "projects/\(service.authority.project)"
            _ = try await ask("\(project)/accounts:delete", #"{"localId":"\#(uid)"}"#, by: service.client)
            #expect(try await quota(of: uid)["quota"].int == nil)

            // The accounts that an operator creates have no quota.
            for body in [#"{"localId":"ben","email":"ben@example.com"}"#, #"{"localId":"cleo"}"#] {
                let made = try await ask("\(project)/accounts", body, by: service.client)
                let usage = try await quota(of: try #require(made["localId"].string, "\(made)"))
                #expect(usage["used"].int == 0 && usage["quota"].int == nil && usage["quota_for"].string == nil)
            }
        }
    }
}
