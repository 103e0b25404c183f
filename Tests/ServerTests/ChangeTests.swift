import Access
import Client
import Cryptography
import Database
import HTTPTypes
import Server
import Service
import TestSupport
import Testing
import Tree

@Suite("GET /v1/changes: every committed change once and in order, after a token", .timeLimit(.minutes(20)))
struct ChangeTests {
    private static let events: HTTPFields = [.accept: "text/event-stream"]

    @Test("C3, K5: Pages are in order, with tombstones, of the requested size, and with the next token")
    func pages() async throws {
        try await withService { service in
            let start = try await service.start()
            _ = try await service.client.ask(.put, "/a/b.json", body: .bytes(Array("{\"x\":[1,2]}".utf8)))
            _ = try await service.client.ask(.patch, "/.json", body: .bytes(Array("{\"a/c\":1,\"d/e\":true}".utf8)))
            _ = try await service.client.ask(.delete, "/a/b.json")
            let all = try await service.changes("since=\(start)")
            #expect(
                all["changes"].array.map { $0["writes"].array.map { $0["path"].string ?? "" } }
                    == [["/a/b"], ["/a/c", "/d/e"], ["/a/b"]])
            #expect(all["changes"][0]["writes"][0]["value"] == .object(["x": .array([.number(1), .number(2)])]))
            #expect(all["changes"][2]["writes"][0]["value"] == .null, "a tombstone")
            #expect(all["changes"][0]["timestamp"].int ?? 0 > 1_600_000_000_000)
            #expect(all["more"] == .bool(false) && all["token"] == all["changes"][2]["token"])
            let first = try await service.changes("since=\(start)&limit=2")
            #expect(first["changes"].array == Array(all["changes"].array.prefix(2)) && first["more"] == .bool(true))
            let rest = try await service.changes("since=\(first["token"].string ?? "")&limit=2")
            #expect(rest["changes"].array == Array(all["changes"].array.dropFirst(2)))
            #expect(try await service.changes("since=\(rest["token"].string ?? "")")["changes"] == .array([]))
            #expect(try await service.changes("since=now")["changes"] == .array([]))
            #expect(try await service.changes("")["token"] == rest["token"], "nothing said is now")
        }
    }

    @Test(
        "F12: A path shows the writes at, above and below it, relative to itself; namespaces are separate"
    )
    func filters() async throws {
        try await withService { service in
            let start = try await service.start()
            for (target, json) in [
                ("/a/b/c.json", "1"), ("/a.json", "{\"b\":{\"c\":2,\"d\":3},\"z\":0}"), ("/a/bb.json", "4"),
                ("/a/b.json?ns=other", "5"), ("/.json", "{\"z\":1}"),
            ] {
                #expect(try await service.client.ask(.put, target, body: .bytes(Array(json.utf8))).status == 200)
            }
            func writes(_ query: String) async throws -> [String] {
                let page = try await service.changes("since=\(start)&\(query)")
                return page["changes"].array.flatMap { $0["writes"].array }.map {
                    "\($0["path"].string ?? "") \($0["value"] == .null ? "gone" : "there")"
                }
            }
            #expect(try await writes("path=/a/b") == ["/a/b/c there", "/a/b there", "/a/b gone"])
            #expect(try await writes("path=a%2Fb%2Fc") == ["/a/b/c there", "/a/b/c there", "/a/b/c gone"])
            #expect(try await writes("path=/a/b&ns=other") == ["/a/b there"])
            #expect(try await writes("ns=other") == ["/a/b there"])
            #expect(try await writes("ns=third") == [])
            #expect(try await writes("ns=tintype").count == 4)
        }
    }

    @Test("Priorities are shown in the export format only")
    func export() async throws {
        try await withService { service in
            let start = try await service.start()
            _ = try await service.client.ask(
                .put, "/a.json", body: .bytes(Array("{\".value\":1,\".priority\":2}".utf8)))
            let export = try await service.changes("since=\(start)&format=export")
            #expect(
                export["changes"][0]["writes"][0]["value"]
                    == .object([".value": .number(1), ".priority": .number(2)]))
            #expect(try await service.changes("since=\(start)")["changes"][0]["writes"][0]["value"] == .number(1))
        }
    }

    @Test("wait: A write at the path ends it; a write elsewhere does not; the end of the service does")
    func longPoll() async throws {
        try await withService { service in
            let start = try await service.start()
            async let waiting = service.changes("since=\(start)&path=a&wait=60")
            try await service.tree.set("elsewhere", to: 1)
            try await service.tree.set("a", to: 1)
            let page = try await waiting
            #expect(page["changes"][0]["writes"][0]["path"] == .string("/a"), "\(page)")
            let nothing = try await service.changes("since=now&path=a&wait=1")
            #expect(nothing["changes"] == .array([]))
            // When the first request is answered, the second has arrived, too.
            let first = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let second = "GET /v1/changes?since=now&path=a&wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let last = try await WireConnection.with(socket: service.socketPath) { connection in
                try await connection.send(first + second)
                _ = await connection.read(until: "\"ok\"}")
                await service.shutDown()
                return await connection.read(until: "}\n")
            }
            #expect(last.contains("{\"changes\":[],"), "\(last)")
        }
    }

    @Test("Events: Past changes after the token, then new ones, each with its token as id; Last-Event-ID beats since")
    func eventStream() async throws {
        try await withService { service in
            let start = try await service.start()
            try await service.tree.set("a/b", to: 1)
            let second = try await service.tree.set("a/b", to: 2)
            try await service.tree.set("elsewhere", to: 1)
            try await service.listen("since=\(start)&path=a") { stream in
                let past = await stream.read(until: "\"value\":2}]}\n\n")
                #expect(past.contains("HTTP/1.1 200 OK") && past.contains("text/event-stream"))
                #expect(past.contains("id: \(start)\n\n"), "where it begins")
                #expect(past.contains("event: change\nid: \(second)\ndata: {\"token\":\"\(second)\""))
                try await service.tree.set("a", to: nil)
                let deleted = await stream.read(until: "\n\n")
                #expect(deleted.contains("{\"path\":\"/a\",\"value\":null}"), "\(deleted)")
            }
            try await service.listen("since=\(start)&path=a", header: "Last-Event-ID: \(second)") { stream in
                let rest = await stream.read(until: "\"value\":null}]}\n\n")
                #expect(!rest.contains("\"value\":2}"))
            }
        }
    }

    @Test("An idle stream sends keep-alives, and moves its reader's token past changes elsewhere")
    func keepAlive() async throws {
        try await withService(changeServer: { $0.database.keepAliveMilliseconds = 50 }) { service in
            try await service.listen("since=now&path=a") { stream in
                _ = await stream.read(until: "\n\n")
                let token = try await service.tree.set("elsewhere", to: 1)
                // The service itself may write after the test.
                var position = SyncToken.start
                while position < token {
                    let sign = try #require(await stream.read(through: "\n\n"))
                    let id = try #require(sign.split(separator: ": keep-alive\nid: ").last, "\(sign)")
                    position = SyncToken(sequence: try #require(UInt64(id.dropLast(2)), "\(sign)"))
                }
            }
        }
    }

    @Test("Too old or unknown a token: 410 and, on a stream, the event resnapshot; both require a new read")
    func resnapshot() async throws {
        try await withService(retention: ChangeRetention(count: 8)) { service in
            for index in 0..<40 { try await service.tree.set("a", to: .integer(Int64(index))) }
            for token in ["0", "1", "999999", "18446744073709551615"] {
                let answer = try await service.client.get("/v1/changes?since=\(token)")
                #expect(answer.status == 410 && answer.json["code"].string == "resnapshot", "\(answer.text)")
                #expect(answer.json["hint"].string?.contains("Tintype-Token") == true)
                #expect(answer.json["hint"].string?.contains("since=oldest") == true)
                let events = try await service.client.get("/v1/changes?since=\(token)", headers: Self.events)
                #expect(events.status == 200 && events.text.hasSuffix("event: resnapshot\ndata: null\n\n"))
            }
        }
    }

    @Test("The oldest token of the log can be requested, whatever was dropped before it", arguments: [0, 3, 40])
    func oldest(count: Int) async throws {
        try await withService(retention: ChangeRetention(count: 8)) { service in
            for index in 0..<count { try await service.tree.set("a", to: .integer(Int64(index))) }
            let page = try await service.client.get("/v1/changes?since=oldest&limit=1000").json
            let values = page["changes"].array.map { $0["writes"][0]["value"].int }
            #expect(values.count == count || (8...9).contains(values.count), "\(values)")
            #expect(values == Array((0..<count).suffix(values.count)), "\(values)")
            #expect(page["more"].bool == false)
            let next = page["token"].string ?? ""
            #expect(try await service.client.get("/v1/changes?since=\(next)").json["changes"].array.isEmpty)
        }
    }

    @Test(
        "Malformed parameters are refused and named",
        arguments: [
            ("since=x", 400, "bad_request", "since"), ("since=-1", 400, "bad_request", "since"),
            ("limit=0", 400, "bad_request", "limit"), ("limit=1001", 400, "bad_request", "limit"),
            ("wait=61", 400, "bad_request", "wait"), ("wait=1s", 400, "bad_request", "wait"),
            ("path=a.b", 400, "invalid_path", "path"), ("path=%FF", 400, "bad_request", "path"),
            ("path=" + String(repeating: "a/", count: 33), 400, "invalid_path", "path"),
            ("ns=a.b", 404, "invalid_namespace", "a.b"),
        ])
    func refusals(query: String, status: Int, code: String, mentions: String) async throws {
        try await withService { service in
            for headers in [[:], Self.events] {
                let answer = try await service.client.get("/v1/changes?" + query, headers: headers)
                #expect(answer.status == status && answer.json["code"].string == code, "\(answer.text)")
                #expect(answer.text.contains(mentions))
            }
            let other = try await service.client.ask(.post, "/v1/changes")
            #expect(other.status == 405 && other.headers[.allow]?.contains("GET") == true)
        }
    }

    @Test("TCP clients need read access to the database: none, holders of the secret, or all with --emulator")
    func access() async throws {
        let secret = "0123456789abcdef"
        try await withService(changeAccess: { $0.secrets = [Secret(secret)] }) { service in
            for headers in [HTTPFields(), Self.events] {
                let denied = try await service.tcpClient.get("/v1/changes?since=0", headers: headers)
                #expect(denied.status == 401 && denied.json["code"].string == "permission_denied", "\(denied.text)")
            }
            let wrong = try await service.tcpClient.get("/v1/changes", headers: [.authorization: "Bearer owner"])
            #expect(wrong.status == 401 && wrong.json["code"].string == "bad_token")
            let right = try await service.tcpClient.get("/v1/changes", headers: [.authorization: "Bearer \(secret)"])
            #expect(right.status == 200, "\(right.text)")
            #expect(try await service.tcpClient.get("/v1/changes?auth=\(secret)").status == 200)
        }
        try await withService(changeServer: { $0.database.isEmulator = true }) { service in
            let answer = try await service.tcpClient.get("/v1/changes")
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test(
        "K4: A client that reads once and follows misses nothing and sees nothing twice, whatever is written meanwhile"
    )
    func follow() async throws {
        try await withService { service in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for writer in 0..<4 {
                    tasks.addTask {
                        for step in 0..<60 {
                            let key = try TreeKey("k\(writer)-\(step % 7)")
                            let value: TreeValue? = step % 5 == 4 ? nil : .integer(Int64(step))
                            try await service.tree.set(TreePath(["a", key]), to: value)
                        }
                    }
                }
                let read = try await service.client.get("/a.json")
                var replica: [String: JSON] = [:]
                if case .object(let members) = read.json { replica = members }
                try await tasks.waitForAll()
                let end = try await service.tree.token
                var token = try #require(read.headers[.named("Tintype-Token")])
                var told = [try #require(Int(token))]
                while token != "\(end)" {
                    let page = try await service.changes("since=\(token)&path=a&limit=17&wait=5")
                    told += page["changes"].array.compactMap { $0["token"].string.flatMap { Int($0) } }
                    for write in page["changes"].array.flatMap({ $0["writes"].array }) {
                        let path = try #require(write["path"].string)
                        replica[String(path.dropFirst("/a/".count))] = write["value"] == .null ? nil : write["value"]
                    }
                    token = try #require(page["token"].string)
                }
                #expect(try await service.client.get("/a.json").json == .object(replica))
                #expect(zip(told, told.dropFirst()).allSatisfy { $0 < $1 }, "each once, in order")
            }
        }
    }
}

extension Service {
    /// Returns the token of an empty path.
    fileprivate func start() async throws -> String {
        try #require(try await client.get("/.json").headers[.named("Tintype-Token")])
    }

    fileprivate func changes(_ query: String) async throws -> JSON {
        let answer = try await client.get("/v1/changes?" + query)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json
    }

    fileprivate func listen(
        _ query: String, header: String = "X-Nothing: nothing", accept: String = "text/event-stream",
        _ body: (WireConnection) async throws -> Void
    ) async throws {
        try await WireConnection.with(socket: socketPath) { connection in
            try await connection.send(
                "GET /v1/changes?\(query) HTTP/1.1\r\nHost: localhost\r\nAccept: \(accept)\r\n\(header)\r\n\r\n")
            try await body(connection)
        }
    }
}
