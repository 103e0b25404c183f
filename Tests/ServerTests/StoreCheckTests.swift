import API
import Client
import Foundation
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree
import Uploads

@Suite("The audit of a running service", .timeLimit(.minutes(20)))
struct StoreCheckTests {
    private func audit(_ service: Service, _ query: String) async throws -> [JSON] {
        let answer = try await service.client.ask(.post, "/v1/audit?\(query)")
        #expect(answer.status == 200 && answer.headers[.contentType] == "application/x-ndjson", "\(answer.text)")
        return try answer.text.split(separator: "\n").map { try JSONDecoder().decode(JSON.self, from: Data($0.utf8)) }
    }

    @Test("It reports each finding on a line, and a summary at the end, and corrects the chosen findings")
    func findings() async throws {
        try await withService { service in
            let answer = try await service.client.post(try Fixture.bytes("photo.jpg"))
            let post = try #require(answer["post_id"].string)
            let folder = service.scratch.path + "/Storage/blobs/maria/\(post)"
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let thumb = try #require(names.first { $0.hasPrefix("thumb-") })
            try FileManager.default.removeItem(atPath: "\(folder)/\(thumb)")

            let found = try await audit(service, "action=check")
            let finding = try #require(found.first { $0["kind"].string != nil })
            #expect(finding["kind"].string == "rendition_missing" && finding["post"].string == post)
            #expect(finding["path"].string == "blobs/maria/\(post)/\(thumb)" && finding["remedy"].string == "repair")
            #expect(finding["outcome"].string == "found")
            let last = try #require(found.last)
            #expect(last["finished"].bool == true && last["done"].int == 1 && last["files"].int == 5, "\(last)")
            #expect(last["findings"]["rendition_missing"].int == 1)
            let status = try await service.client.get("/v1/status").json["audits"]["check"]
            #expect(status["findings"]["rendition_missing"].int == 1 && status["posts"].int == 1)
            let metrics = try await service.client.get("/v1/metrics")
            #expect(metrics.headers[.contentType]?.hasPrefix("text/plain; version=0.0.4") == true)
            #expect(metrics.text.contains("\ntintype_audit_findings{action=\"check\"} 1\n"))
            #expect(metrics.text.contains("\ntintype_uploads_total{end=\"published\"} 1\n"))

            let mended = try await audit(service, "action=repair&change=true")
            #expect(mended.last?["mended"].int == 1 && mended.last?["findings"]["rendition_missing"].int == nil)
            #expect(try await audit(service, "action=verify&unread_for=60").count { $0["kind"].string != nil } == 0)
            #expect(try await service.client.get("/v1/status").json["audits"]["verify"]["posts"].int == 1)
        }
    }

    @Test(
        "Malformed requests and requests without admin rights are refused",
        arguments: [
            ("", "action"), ("action=mend", "action"), ("action=verify&sample=0", "sample"),
            ("action=verify&rate=fast", "rate"), ("action=gc&max_share=101", "max_share"),
            ("action=check&user=a%2Fb", "user"), ("action=check&depth=1", "depth"),
        ])
    func refused(query: String, word: String) async throws {
        try await withService { service in
            let answer = try await service.client.ask(.post, "/v1/audit?\(query)")
            #expect(answer.status == 400 && answer.text.contains(word), "\(answer.text)")
            #expect(try await service.tcpClient.ask(.post, "/v1/audit?action=check").status == 403)
            #expect(try await service.tcpClient.get("/v1/explain?of=x").status == 403)
        }
    }

    @Test("The life of a post is reported, by its id, by a file's path and by its address")
    func explain() async throws {
        try await withService { service in
            let answer = try await service.client.post(try Fixture.bytes("photo.jpg"))
            let post = try #require(answer["post_id"].string)
            let life = try await service.client.get("/v1/explain?of=\(post)").json
            #expect(life["owner"].string == "maria" && life["state"].string == "published")
            #expect(life["intake"].string == "socket" && life["purpose"].string == "post")
            let files = life["files"]
            #expect((0..<6).count { files[$0]["use"].string == "shown" } == 5, "\(files)")
            let thumb = try #require((0..<6).first { files[$0]["path"].string?.contains("/thumb-") == true })
            #expect(files[thumb]["recipe"].string == "thumb=640x640,inside,q70")
            #expect(files[thumb]["bytes"].int == files[thumb]["expected_bytes"].int)
            let original = try #require((0..<6).first { files[$0]["use"].string == "original" })
            #expect(files[thumb]["source"].string == files[original]["sha256"].string)
            #expect(life["commits"][0]["token"].string != nil && life["commits"][0]["timestamp"].int ?? 0 > 0)
            #expect(life["named"][0].string != nil)

            let path = try #require(files[thumb]["path"].string)
            for name in [path, "Storage/" + path, "/media/" + path.dropFirst("blobs/".count)] {
                let one = try await service.client.get("/v1/explain?of=\(name)").json
                #expect(one["files"][0]["path"].string == path && one["files"][1]["path"].string == nil)
            }
            #expect(try await service.client.get("/v1/explain?of=-OaBcDeFgHiJkLmNoPqR").status == 404)
            #expect(try await service.client.get("/v1/explain?of=nothing").status == 404)
        }
    }
}
