import Client
import HTTPTypes
import TestSupport
import Testing

@Suite("The service's own pages, and the batch job", .timeLimit(.minutes(20)))
struct ServicePageTests {
    @Test("K16: Health, version and status")
    func health() async throws {
        try await withService { service in
            _ = try await service.client.post("hello")
            _ = try await service.client.ask(.post, "/v1/uploads?user=maria&draft=true")
            #expect(try await service.client.get("/healthz").json == .object(["status": .string("ok")]))
            #expect(try await service.client.get("/v1/version").json["version"].string?.isEmpty == false)
            // A post is counted just after its answer was sent.
            try await eventually { try await service.client.get("/v1/status").json["published"].int == 1 }
            let status = try await service.client.get("/v1/status").json
            #expect(status["failed"].int == 0)
            #expect(status["queue"].int == 0)
            #expect(status["uploads"]["draft"].int == 1)
            #expect(status["tree"]["updates"].int ?? 0 >= 3)
            #expect(status["recipes"]["thumb"].string == "thumb=640x640,inside,q70")
        }
    }

    @Test(
        "The page is complete in itself and runs no foreign code",
        arguments: [
            ("/", "text/html; charset=utf-8"), ("/search", "text/html; charset=utf-8"),
            ("/ops", "text/html; charset=utf-8"), ("/account", "text/html; charset=utf-8"),
            ("/page/page.css", "text/css; charset=utf-8"),
            ("/page/account.js", "text/javascript; charset=utf-8"),
            ("/page/texts.de.js", "text/javascript; charset=utf-8"),
        ])
    func page(path: String, contentType: String) async throws {
        try await withService { service in
            let answer = try await service.tcpClient.get(path)
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == contentType)
            let policy = answer.headers[.contentSecurityPolicy] ?? ""
            #expect(policy.contains("default-src 'none'") == contentType.hasPrefix("text/html"))
            #expect(!policy.contains("unsafe"))
            #expect(!answer.text.contains("https://") && !answer.text.contains("innerHTML"))
            #expect(
                !answer.text.contains("<style") && !answer.text.contains(" style=") && !answer.text.contains("onclick"))
        }
    }

    @Test("A job examines the selected posts, and finds nothing to do after an upload")
    func rethumb() async throws {
        let jpeg = try fixture("size-97x61.jpg")
        try await withService { service in
            for user in ["maria", "maria", "jan"] { _ = try await service.client.post(jpeg, by: user) }
            let rows = [
                ("", 3), (#","user":"jan""#, 1), (#","since":"2100-01-01""#, 0), (#","since":0,"switch":"last""#, 3),
                (#","only_missing":true,"since":"2020-01-01T00:00:00Z""#, 3), (#","only_damaged":true"#, 3),
                (#","until":"2020-01-01""#, 0), (#","posts":[]"#, 0),
            ]
            for (fields, total) in rows {
                let job = try await service.client.job(#"{"kind":"rethumb"\#(fields)}"#)
                let state = fields.contains("last") ? "prepared" : "finished"
                #expect(job["state"].string == state && job["total"].int == total, "\(fields)")
                #expect(job["done"].int == total && job["switched"].int == 0, "\(fields)")
            }
            #expect(try await service.client.get("/v1/status").json["batch"]["id"].string == nil)
        }
    }
}
