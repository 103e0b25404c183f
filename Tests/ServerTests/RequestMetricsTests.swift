import API
import Backup
import Client
import Database
import HTTPTypes
import Server
import Service
import TestSupport
import Testing

@Suite("The metrics of requests and listeners", .timeLimit(.minutes(10)))
struct RequestMetricsTests {
    /// A request, and its labels.
    struct Row: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let route: String
        let status: Int

        init(_ method: HTTPRequest.Method, _ path: String, _ route: String, _ status: Int) {
            (self.method, self.path, self.route, self.status) = (method, path, route, status)
        }
    }

    private static let rows = [
        Row(.get, "/healthz", "/healthz", 200), Row(.get, "/v1/posts/-abc", "/v1/posts/{id}", 404),
        Row(.get, "/v1/posts/-def", "/v1/posts/{id}", 404), Row(.put, "/v1/posts", "/v1/posts", 405),
        Row(.get, "/v1/nothing/here", "other", 404), Row(.get, "/secret/../of/somebody", "other", 404),
        Row(.put, "/a/b.json", "database", 200), Row(.get, "/a.json", "database", 200),
        Row(.get, "/c/d/e.json", "database", 200), Row(.delete, "/a.json", "database", 200),
        Row(.get, "/v0/b/tintype.appspot.com/o/none", "bucket", 404),
        Row(.post, "/identitytoolkit.googleapis.com/v1/accounts:lookup", "identity", 200),
    ]

    private func metrics(of service: Service) async throws -> Scrape {
        try Scrape(try await service.client.get("/v1/metrics").text)
    }

    @Test("A request is counted under the template of its route, however many paths are requested")
    func routes() async throws {
        try await withService { service in
            for row in Self.rows {
                let answer = try await service.client.ask(
                    row.method, row.path, body: .bytes(row.method == .put ? Array("1".utf8) : []))
                #expect(answer.status == row.status, "\(row.method) \(row.path): \(answer.text)")
            }
            let scrape = try await metrics(of: service)
            for row in Self.rows {
                let same = Self.rows.count { $0.method == row.method && $0.route == row.route }
                let labels = ["method": row.method.rawValue, "route": row.route]
                let counted = scrape.value(
                    "tintype_http_requests_total", labels.merging(["status": "\(row.status)"]) { $1 })
                #expect(counted == Double(same), "\(row.method) \(row.path)")
                #expect(scrape.value("tintype_http_request_seconds_count", labels) == Double(same))
            }
            let routes = Set(scrape.samples("tintype_http_requests_total").compactMap { $0.labels["route"] })
            #expect(routes == Set(Self.rows.map(\.route)), "no other series came of it")
            #expect(scrape.value("tintype_http_requests_in_work") == 1, "the scrape itself")
        }
    }

    @Test("Unknown methods share one label")
    func methods() async throws {
        try await withService { service in
            for method in ["PROPFIND", "REPORT"] {
                let name = try #require(HTTPRequest.Method(rawValue: method))
                #expect(try await service.client.ask(name, "/v1/posts").status == 405)
            }
            let scrape = try await metrics(of: service)
            let labels = ["method": "other", "route": "/v1/posts", "status": "405"]
            #expect(scrape.value("tintype_http_requests_total", labels) == 2)
        }
    }

    @Test("Refused sign-ins are counted by their code, whatever text follows it")
    func signIns() async throws {
        try await withService { service in
            let path = "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=any"
            let body = Array(#"{"email": "nobody@example.org", "password": "secret"}"#.utf8)
            let before = try await metrics(of: service)
            #expect(!before.samples("tintype_account_refusals_total").isEmpty, "the expected codes begin at 0")
            #expect(before.value("tintype_account_refusals_total") == 0)
            #expect(try await service.client.ask(.post, path, body: .bytes(body)).status == 400)
            let after = try await metrics(of: service)
            #expect(after.value("tintype_account_refusals_total") == 1)
            let codes = after.samples("tintype_account_refusals_total").compactMap { $0.labels["code"] }
            #expect(codes.allSatisfy { !$0.contains(" ") })
        }
    }

    @Test("The age of the queue, post runs, and backups have series before there are any")
    func beginnings() async throws {
        try await withService { service in
            let scrape = try await metrics(of: service)
            for name in [
                "tintype_queue_age_seconds", "tintype_backup_timestamp_seconds", "tintype_backup_findings",
                "tintype_backup_verified_timestamp_seconds", "tintype_jobs_failing",
                "tintype_refused_connections_total", "tintype_access_log_dropped_total",
            ] {
                #expect(scrape.samples(name).map(\.value) == [0], "\(name)")
            }
            #expect(scrape.samples("tintype_post_runs").count == PostRunState.allCases.count)
            #expect(scrape.samples("tintype_tls_certificate_expiry_timestamp_seconds").isEmpty)
            let target = "\(service.scratch.path)/backups"
            #expect(try await service.client.ask(.post, "/v1/backup?to=\(target)").status == 200)
            let time = try await metrics(of: service).value("tintype_backup_timestamp_seconds")
            #expect(time > 1_600_000_000)
            #expect(try await metrics(of: service).value("tintype_backup_verified_timestamp_seconds") == 0)
            _ = try await BackupVerification(of: BackupFolder(path: target)).run { _ in }
            #expect(try await metrics(of: service).value("tintype_backup_verified_timestamp_seconds") >= time)
        }
    }

    @Test("Files that failed are counted by the code of their reason, and folders of others under one label")
    func failedFiles() async throws {
        try await withService { service in
            for (name, count) in [("empty", 2), ("unsupported_format", 1), ("somebody's \"notes\"", 1)] {
                for number in 0..<count {
                    try service.scratch.write("{}", to: "Storage/failed/\(name)/maria/\(number).jpg.reason.json")
                    try service.scratch.write("words", to: "Storage/failed/\(name)/maria/\(number).jpg")
                }
            }
            let samples = try await metrics(of: service).samples("tintype_failed_files")
            let counts = Dictionary(uniqueKeysWithValues: samples.map { ($0.labels["reason"], $0.value) })
            #expect(counts == ["empty": 2, "unsupported_format": 1, "other": 1])
        }
    }

    @Test("The lag of listeners is timed from the commit, for streams and for sessions")
    func lag() async throws {
        try await withService(changeServer: { $0.database.isEmulator = true }) { service in
            let stream = try await WireConnection(socket: service.socketPath)
            try await stream.send("GET /a.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            #expect(await stream.read(through: "\n\n") != nil)
            let session = try await WireClient(service)
            _ = try await session.answer("q", #"{"p":"/a","h":""}"#)
            for number in 0..<5 {
                _ = try await service.client.ask(.put, "/a/b.json", body: .bytes(Array("\(number)".utf8)))
                #expect(await stream.read(through: "\n\n")?.contains("\"data\":\(number)") == true)
            }
            try await eventually {
                let scrape = try await metrics(of: service)
                return ["event-stream", "websocket"].allSatisfy { name in
                    scrape.value("tintype_listener_lag_seconds_count", ["protocol": name]) == 5
                        && scrape.value("tintype_http_takeovers_total", ["protocol": name]) == 1
                }
            }
            let scrape = try await metrics(of: service)
            #expect(scrape.value("tintype_listener_lag_seconds_sum") > 0)
            for name in ["event-stream", "websocket"] {
                #expect(scrape.value("tintype_open_streams", ["protocol": name]) == 1)
            }
            #expect(scrape.value("tintype_http_connections", ["listener": "socket"]) >= 2)
            await session.close()
            await stream.close()
            try await eventually { try await metrics(of: service).value("tintype_open_streams") == 0 }
        }
    }
}
