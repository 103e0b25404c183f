import Client
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing
import Uploads

@Suite("Operators: status, failures and decisions", .timeLimit(.minutes(20)))
struct OperationsTests {
    private static let addresses: [(HTTPRequest.Method, String)] = [
        (.get, "/v1/operations"), (.get, "/v1/operations/events"), (.get, "/v1/failures"),
        (.delete, "/v1/failures?all=true"), (.post, "/v1/failures/retry?all=true"), (.get, "/v1/failures/x/picture"),
        (.post, "/v1/failures/x/retry"), (.delete, "/v1/failures/x"), (.get, "/v1/refusals"), (.get, "/v1/jobs"),
        (.post, "/v1/jobs"), (.post, "/v1/jobs/plan"), (.post, "/v1/jobs/-OAAAAAAAAAAAAAAAAAA/cancel"),
    ]

    private static func key(_ service: Service, _ name: String) async throws -> HTTPFields {
        let answer = try await service.client.ask(.post, "/v1/keys?name=\(name)")
        return [.authorization: "Bearer \(answer.json["key"].string ?? "")"]
    }

    private static func ask(_ service: Service, _ path: String, _ json: String) async throws -> Answer {
        try await service.client.ask(
            .post, path, headers: [.contentType: "application/json"], body: .bytes(Array(json.utf8)))
    }

    /// Returns a truncated photo, which can never become a post.
    private static func cutPhoto() throws -> [UInt8] { Array(try fixture("size-97x61.jpg").prefix(900)) }

    @Test("All operations are for admins alone: at the socket, and with an admin key over TCP")
    func admins() async throws {
        try await withService { service in
            let user = try service.headers(of: "maria")
            for (method, path) in Self.addresses {
                for headers in [user, [:]] {
                    let answer = try await service.tcpClient.ask(method, path, headers: headers)
                    #expect(answer.json["code"].string == "admin_only", "\(method) \(path): \(answer.text)")
                }
            }
            let key = try await Self.key(service, "ops")
            for path in ["/v1/operations", "/v1/failures", "/v1/refusals", "/v1/jobs"] {
                let answer = try await service.tcpClient.get(path, headers: key)
                #expect(answer.status == 200, "\(path): \(answer.text)")
            }
        }
    }

    @Test(
        "The status and metrics are for admins and this machine, not for requests through a proxy",
        arguments: ["/v1/status", "/v1/metrics"])
    func doings(path: String) async throws {
        try await withService { service in
            let key = try await Self.key(service, "watcher")
            for headers in [[:], try service.headers(of: "maria"), key] as [HTTPFields] {
                let answer = try await service.tcpClient.get(path, headers: headers)
                #expect(answer.status == 200, "\(answer.text)")
            }
            #expect(try await service.client.get(path).status == 200)
            for field in ["x-forwarded-for", "x-forwarded-proto", "cf-connecting-ip", "forwarded", "via"] {
                let name = try #require(HTTPField.Name(field))
                for headers in [[:], try service.headers(of: "maria")] as [HTTPFields] {
                    var fields = headers
                    fields[name] = "192.0.2.7"
                    let answer = try await service.tcpClient.get(path, headers: fields)
                    #expect(answer.status == 403, "\(field): \(answer.text)")
                    #expect(answer.json["code"].string == "admin_only", "\(field): \(answer.text)")
                }
                var fields = key
                fields[name] = "192.0.2.7"
                #expect(try await service.tcpClient.get(path, headers: fields).status == 200, "\(field)")
            }
        }
    }

    @Test("The overview shows the work of the service, its listeners, and the addresses of its pages")
    func glance() async throws {
        try await withService { service in
            _ = try await service.client.post("hello")
            let key = try await Self.key(service, "looker")
            _ = try await service.tcpClient.events(
                "/v1/posts/events", headers: key, from: ": new posts follow", through: ": new posts follow"
            ) {
                try await eventually {
                    try await service.client.get("/v1/operations").json["connections"]["streams"].int == 1
                }
                let now = try await service.client.get("/v1/operations").json
                #expect(now["connections"]["list"][0]["what"].string == "/v1/posts/events")
                #expect(now["connections"]["list"][0]["identity"].string == "admin, admin key looker")
                #expect(now["connections"]["tcp"].int == 1)
                #expect(now["pages"][0].string == "http://127.0.0.1:\(service.tcpPort)")
                #expect(now["workers"]["count"].int == 2 && now["workers"]["busy"].array.isEmpty)
                #expect(now["disk"]["tree"].int ?? 0 > 0 && now["memory"].int ?? 0 > 1 << 20)
                #expect(now["status"]["queue"].int == 0)
            }
            try await eventually {
                try await service.client.get("/v1/operations").json["connections"]["streams"].int == 0
            }
        }
    }

    @Test("The stream sends changes, and ends when the key is deleted")
    func stream() async throws {
        try await withService { service in
            let key = try await Self.key(service, "looker")
            let events = try await service.tcpClient.events(
                "/v1/operations/events", headers: key, from: "event: operations", through: "event: auth_revoked"
            ) {
                _ = try await service.client.post("hello")
                _ = try await service.client.ask(.delete, "/v1/keys/looker")
            }
            #expect(events.first?.data["status"]["version"].string != nil)
            #expect(events.last?.name == "auth_revoked")
        }
    }

    @Test("Failures are listed in pages, the newest first, shown, put back and deleted")
    func failures() async throws {
        try await withService { service in
            let photo = try Self.cutPhoto()
            _ = try await service.client.ask(
                .put, "/people/jan/full_name.json", body: .bytes(Array(#""Jan Novák""#.utf8)))
            for user in ["maria", "jan", "maria"] {
                _ = try await service.client.ask(
                    .post, "/v1/uploads?user=\(user)&name=of-\(user).jpg", body: .bytes(photo))
            }
            // They are moved aside just after their senders get the answer.
            try await eventually { try await service.client.get("/v1/failures").json["total"].int == 3 }
            let all = try await service.client.get("/v1/failures").json
            #expect(all["total"].int == 3 && all["reasons"]["truncated"].int == 3)
            let jan = all["failures"].array.first { $0["user"].string == "jan" }
            #expect(jan?["full_name"].string == "Jan Novák" && jan?["name"].string == "of-jan.jpg", "\(all)")
            #expect(all["bytes"].int == 3 * photo.count && all["next"] == .null)
            let first = try await service.client.get("/v1/failures?limit=2").json
            let next = try #require(first["next"].string)
            let second = try await service.client.get("/v1/failures?limit=2&before=\(next)").json
            let ids = (first["failures"].array + second["failures"].array).compactMap { $0["id"].string }
            #expect(ids == all["failures"].array.compactMap { $0["id"].string } && ids.count == 3)
            let times = all["failures"].array.compactMap { $0["failed_at"].int }
            #expect(times == times.sorted(by: >))
            #expect(all["failures"][0]["intake"].string == "socket" && all["failures"][0]["hint"].string != nil)

            let picture = try await service.client.get("/v1/failures/\(ids[0])/picture")
            #expect(picture.body == photo && picture.headers[.contentType] == "image/jpeg")
            #expect(picture.headers[.contentSecurityPolicy] == "default-src 'none'; sandbox")
            #expect(picture.headers[.xContentTypeOptions] == "nosniff")
            let small = try await service.client.get("/v1/failures/\(ids[0])/picture?width=64")
            #expect(small.json["code"].string == "truncated")

            let retried = try await service.client.ask(.post, "/v1/failures/\(ids[0])/retry").json
            #expect(retried["retried"].int == 1)
            let inbox = try FileManager.default.subpathsOfDirectory(atPath: service.scratch.path + "/Storage/inbox")
            #expect(inbox.contains { $0.hasPrefix("maria/") })
            let again = try await service.client.ask(.post, "/v1/failures/\(ids[0])/retry")
            #expect(again.status == 404 && again.json["code"].string == "not_found")
            #expect(try await service.client.ask(.delete, "/v1/failures").json["code"].string == "bad_request")
            let dropped = try await service.client.ask(.delete, "/v1/failures?user=jan").json
            #expect(dropped["dropped"].int == 1 && dropped["failed"].int == 0)
            #expect(try await service.client.ask(.delete, "/v1/failures/\(ids[2])").json["dropped"].int == 1)
            #expect(try await service.client.get("/v1/failures").json["total"].int == 0)
        }
    }

    @Test(
        "An id cannot lead out of the folder of failures",
        arguments: [
            "../tree.sqlite", "../../etc/passwd", "/etc/passwd", "truncated/../../tree.sqlite", "truncated/maria/..",
            "truncated//maria/x", "", ".", "truncated/maria/x\u{0}", "link/x.jpg", "truncated/link",
        ])
    func traversal(path: String) async throws {
        try await withService { service in
            _ = try await service.client.post(try Self.cutPhoto())
            try await eventually { try await service.client.get("/v1/failures").json["total"].int == 1 }
            let failed = service.scratch.path + "/Storage/failed"
            try FileManager.default.createSymbolicLink(atPath: failed + "/link", withDestinationPath: "/etc")
            try FileManager.default.createSymbolicLink(
                atPath: failed + "/truncated/link", withDestinationPath: "/etc/passwd")
            try Data(#"{"code":"truncated","message":"","hint":"","file":"link","failed_at":1}"#.utf8).write(
                to: URL(fileURLWithPath: failed + "/truncated/link.reason.json"))
            let id = Data(path.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
            for (method, end) in [(HTTPRequest.Method.get, "/picture"), (.post, "/retry"), (.delete, "")] {
                guard method == .get || !path.hasSuffix("link") else { continue }  // The link itself may be deleted.
                let answer = try await service.client.ask(method, "/v1/failures/\(id)\(end)")
                #expect(answer.status >= 400 && answer.status < 500, "\(method) \(path): \(answer.text)")
                #expect(!answer.text.contains("root:"))
            }
            #expect(FileManager.default.fileExists(atPath: service.scratch.path + "/Storage/tree.sqlite"))
        }
    }

    @Test("Refusals and acts of admins are listed, the newest first, without the secrets of their requests")
    func refusals() async throws {
        try await withService { service in
            _ = try await service.tcpClient.get("/v1/keys?auth=secret-word")
            _ = try await service.client.ask(.post, "/v1/keys?name=backup")
            let list = try await service.client.get("/v1/refusals").json["refusals"]
            #expect(list[0]["kind"].string == "done" && list[0]["request"].string == "POST /v1/keys")
            #expect(list[1]["kind"].string == "refused" && list[1]["request"].string == "GET /v1/keys")
            #expect(list[1]["status"].int == 401 && list[1]["trace"].string?.isEmpty == false)
            #expect(try await !service.client.get("/v1/refusals").text.contains("secret-word"))
            #expect(try await service.client.get("/v1/refusals?limit=1").json["refusals"].array.count == 1)
            #expect(try await service.client.get("/v1/refusals?limit=0").status == 400)
        }
    }

    @Test("A job is planned, started and finished by itself; a finished job cannot be changed")
    func jobs() async throws {
        let jpeg = try fixture("size-97x61.jpg")
        try await withService { service in
            for user in ["maria", "jan"] { _ = try await service.client.post(jpeg, by: user) }
            let plan = try await Self.ask(service, "/v1/jobs/plan", #"{"kind":"rethumb","user":"jan"}"#)
            #expect(plan.json["total"].int == 1 && plan.json["posts"].int == 0, "\(plan.text)")
            let begun = try await Self.ask(service, "/v1/jobs", #"{"kind":"rethumb","since":0,"user":null}"#)
            #expect(begun.status == 201 && begun.json["state"].string == "running", "\(begun.text)")
            let id = try #require(begun.json["id"].string)
            try await eventually {
                try await service.client.get("/v1/jobs").json["jobs"][0]["state"].string == "finished"
            }
            let job = try await service.client.get("/v1/jobs").json["jobs"][0]
            #expect(job["done"].int == 2 && job["total"].int == 2 && job["ended_at"].int != nil)
            for verb in ["pause", "resume", "cancel"] {
                let answer = try await service.client.ask(.post, "/v1/jobs/\(id)/\(verb)")
                #expect(answer.json["code"].string == "wrong_state", "\(verb)")
            }
            for (body, code) in [
                (#"{"kind":"x"}"#, "bad_request"), (#"{}"#, "bad_request"),
                (#"{"kind":"scrub","since":1}"#, "bad_request"),
                (#"{"kind":"rethumb","user":"a/b"}"#, "bad_user"), (#"{"kind":"rethumb","since":"soon"}"#, "bad_time"),
                (#"{"kind":"rethumb","more":1}"#, "bad_request"),
            ] {
                #expect(try await Self.ask(service, "/v1/jobs", body).json["code"].string == code, "\(body)")
            }
        }
    }

    @Test(
        "The page is complete in itself, and runs no foreign code",
        arguments: [
            ("/ops", "text/html; charset=utf-8"), ("/page/ops.css", "text/css; charset=utf-8"),
            ("/page/ops.js", "text/javascript; charset=utf-8"),
            ("/page/ops-texts.de.js", "text/javascript; charset=utf-8"),
        ])
    func page(path: String, contentType: String) async throws {
        try await withService { service in
            let answer = try await service.tcpClient.get(path)
            #expect(answer.status == 200 && answer.headers[.contentType] == contentType)
            let policy = answer.headers[.contentSecurityPolicy] ?? ""
            // The policy on scripts is a header of the page, not of its files.
            #expect(policy.contains("require-trusted-types-for 'script'") == (path == "/ops"))
            #expect(!policy.contains("unsafe"))
            #expect(!answer.text.contains("https://") && !answer.text.contains("innerHTML"))
            #expect(!answer.text.contains("<style") && !answer.text.contains(" style="))
        }
    }
}
