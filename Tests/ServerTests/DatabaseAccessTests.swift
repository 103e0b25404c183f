import Access
import Client
import Cryptography
import Database
import HTTPTypes
import Server
import Service
import Store
import TestSupport
import Testing
import Uploads

@Suite("The database: access", .timeLimit(.minutes(20)))
struct DatabaseAccessTests {
    private static let secret = "0123456789abcdef"
    private static let denied = "{\"error\":\"Permission denied\"}"
    private static let unreadable = "{\"error\":\"Could not parse auth token.\"}"

    /// The proof of a request over TCP, and the expected answer.
    struct Row: Sendable {
        var query = ""
        var headers: HTTPFields = [:]
        let answer: String
        var status: Int { answer == "null" ? 200 : 401 }
    }

    private func check(_ rows: [Row], _ service: Service) async throws {
        for row in rows {
            for method in [HTTPRequest.Method.get, .delete] {
                let given = try await service.tcpClient.ask(method, "/a.json" + row.query, headers: row.headers)
                #expect(given.status == row.status, "\(row)")
                #expect(given.text == row.answer, "\(row)")
            }
        }
    }

    @Test("TCP is closed until the operator opens it; the socket is open to all users with the file permission")
    func closed() async throws {
        try await withService { service in
            try await check(
                [
                    Row(answer: Self.denied), Row(headers: [.authorization: "Bearer owner"], answer: Self.unreadable),
                    Row(query: "?auth=a.b.c", answer: Self.unreadable),
                    Row(headers: [.authorization: "Bearer a.b.c"], answer: Self.unreadable),
                    Row(headers: [.authorization: "Basic YTpi"], answer: Self.denied),
                ], service)
            #expect(try await service.client.get("/a.json").status == 200)
            #expect(
                try await service.client.get("/a.json", headers: [.authorization: "Bearer owner"]).status == 200)
            #expect(try await service.tcpClient.get("/healthz").status == 200)
            #expect(try await service.tcpClient.get("/v1/changes?since=0").status == 401)
            #expect(try await service.client.get("/v1/changes?since=0").status == 200)
        }
    }

    @Test("With --emulator all clients have access, as owner or with a user's token")
    func emulator() async throws {
        try await withService(changeServer: { $0.database.isEmulator = true }) { service in
            try await check(
                [
                    Row(answer: "null"), Row(headers: [.authorization: "Bearer owner"], answer: "null"),
                    Row(headers: [.authorization: "bearer \(Service.mockToken(of: "a"))"], answer: "null"),
                    Row(query: "?auth=\(Service.mockToken(of: "a"))", answer: "null"),
                    Row(query: "?access_token=\(Service.mockToken(of: "a"))", answer: "null"),
                    Row(
                        query: "?auth_variable_override=%7B%22uid%22%3A%22a%22%7D",
                        headers: [.authorization: "Bearer owner"], answer: "null"),
                    Row(query: "?auth_variable_override=%7B%22uid%22%3A%22a%22%7D", answer: Self.denied),
                    Row(query: "?auth=a.b.c", answer: Self.unreadable),
                    Row(headers: [.authorization: "Bearer x"], answer: Self.unreadable),
                ], service)
        }
    }

    @Test("Rules are for the owner alone", arguments: [(nil, 401), ("a.b.c", 401), ("owner", 200)] as [(String?, Int)])
    func rules(token: String?, status: Int) async throws {
        try await withService(changeServer: { $0.database.isEmulator = true }) { service in
            var headers = HTTPFields()
            headers[.authorization] = token.map { "Bearer \($0)" }
            let answer = try await service.tcpClient.get("/.settings/rules.json", headers: headers)
            #expect(answer.status == status, "\(answer.text)")
            #expect(try await service.client.get("/.settings/rules.json").status == 200)
        }
    }

    /// A request over TCP that replaces or deletes a tree as a whole.
    struct WholeTree: Sendable {
        var method = HTTPRequest.Method.put
        var path = "/.json"
        var headers: HTTPFields = [:]
        var body = "{\"new\":1}"
        var isDone = false
        /// Whether the request is refused because of the page that sent it.
        var isForeign = false
    }

    static let wholeTrees: [WholeTree] = [
        WholeTree(), WholeTree(method: .delete), WholeTree(path: "//.json?print=silent"),
        WholeTree(path: "/.json?ns=Tintype"), WholeTree(body: "null"), WholeTree(method: .patch, body: "null"),
        WholeTree(method: .delete, headers: [.authorization: "Bearer \(Service.mockToken(of: "a"))"]),
        WholeTree(method: .post, headers: [.named("x-http-method-override"): "DELETE"]),
        WholeTree(method: .post, path: "/.json?x-http-method-override=put"),
        // The token is known to pages of all sites, so only pages of this machine may use it.
        WholeTree(headers: [.authorization: "Bearer owner", .origin: "https://evil.example"], isForeign: true),
        WholeTree(method: .delete, path: "/.json?auth=owner", headers: [.origin: "null"], isForeign: true),
        WholeTree(
            method: .delete, headers: [.authorization: "Bearer owner", .origin: "http://localhost.evil.example"],
            isForeign: true),
        WholeTree(headers: [.authorization: "Bearer owner"], isDone: true),
        WholeTree(
            method: .delete, headers: [.authorization: "Bearer owner", .origin: "http://[::1]:5173"], isDone: true),
        WholeTree(path: "/.json?auth=owner", headers: [.origin: "http://localhost:3000"], isDone: true),
        WholeTree(method: .delete, path: "/.json?auth=\(secret)", isDone: true),
        WholeTree(path: "/.json?ns=other", isDone: true), WholeTree(method: .patch, isDone: true),
        WholeTree(path: "/a.json", isDone: true), WholeTree(method: .post, isDone: true),
    ]

    @Test(
        "Only the owner replaces the service's own tree as a whole, even with --emulator", arguments: wholeTrees)
    func wholeTree(row: WholeTree) async throws {
        try await withService(
            changeServer: { $0.database.isEmulator = true }, changeAccess: { $0.secrets = [Secret(Self.secret)] }
        ) { service in
            _ = try await service.client.ask(.put, "/posts.json", body: .bytes(Array("{\"p\":1}".utf8)))
            let answer = try await service.tcpClient.ask(
                row.method, row.path, headers: row.headers, body: .bytes(Array(row.body.utf8)))
            #expect(answer.status == (row.isDone ? 200 : row.isForeign ? 403 : 401), "\(answer.text)")
            guard !row.isDone else { return }
            let error = answer.json["error"].string ?? ""
            #expect(
                row.isForeign || error.hasPrefix("Permission denied. ") && error.contains("Bearer owner"), "\(error)")
            #expect(try await service.client.get("/.json").text == "{\"posts\":{\"p\":1}}")
        }
    }

    @Test("Over the socket, and where nothing is kept, the whole tree is replaced without confirmation")
    func wholeTreeOfItsOwner() async throws {
        let body = RequestBody.bytes(Array("1".utf8))
        try await withService { service in
            let put = try await service.client.ask(.put, "/.json", body: body)
            let delete = try await service.client.ask(.delete, "/.json")
            #expect([put.text, delete.text] == ["1", "null"])
        }
        try await withService(engine: .memory, changeServer: { $0.database.isEmulator = true }) { service in
            let put = try await service.tcpClient.ask(.put, "/.json", body: body)
            let delete = try await service.tcpClient.ask(.delete, "/.json")
            #expect([put.text, delete.text] == ["1", "null"])
        }
    }

    @Test("A client that may not read may not listen")
    func listening() async throws {
        try await withService(changeAccess: { $0.secrets = [Secret(Self.secret)] }) { service in
            let answer = try await service.tcpClient.get("/a.json", headers: [.accept: "text/event-stream"])
            #expect(answer.status == 401 && answer.text == Self.denied)
            let events = try await WireConnection.with(port: service.tcpPort) { connection in
                try await connection.send(
                    "GET /a.json?ns=one&auth=\(Self.secret) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
                )
                let begin = await connection.read(until: "\n\n")
                _ = try await service.client.ask(.put, "/a/b.json?ns=one", body: .bytes(Array("1".utf8)))
                return begin + (await connection.read(until: "\n\n"))
            }
            #expect(events.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(events.contains("event: put\ndata: {\"path\":\"/\",\"data\":null}\n\n"), "\(events)")
            #expect(events.hasSuffix("event: put\ndata: {\"path\":\"/b\",\"data\":1}\n\n"), "\(events)")
        }
    }

    @Test("The secret gives access in any of the three forms")
    func secret() async throws {
        try await withService(changeAccess: { $0.secrets = [Secret(Self.secret)] }) { service in
            let secret = Self.secret
            try await check(
                [
                    Row(headers: [.authorization: "Bearer \(secret)"], answer: "null"),
                    Row(query: "?auth=\(secret)", answer: "null"),
                    Row(query: "?access_token=\(secret)", answer: "null"),
                    Row(answer: Self.denied), Row(query: "?auth=\(secret)x", answer: Self.unreadable),
                    Row(query: "?auth=\(secret.dropLast())", answer: Self.unreadable),
                    Row(query: "?auth=", answer: Self.unreadable), Row(query: "?auth=owner", answer: Self.unreadable),
                    Row(query: "?auth=\(secret)", headers: [.authorization: "Bearer x"], answer: Self.unreadable),
                ], service)
        }
    }

    @Test(
        "Pages of other sites may not write; those of this machine may with an emulator",
        arguments: [
            (true, "/a.json", "http://localhost:5173", 200), (true, "/a.json", "https://evil.example", 403),
            (false, "/a.json?auth=0123456789abcdef", "http://localhost:5173", 403),
            (true, "/v1/jobs", "https://evil.example", 403),
        ])
    func pages(isEmulator: Bool, path: String, origin: String, status: Int) async throws {
        try await withService(
            changeServer: { $0.database.isEmulator = isEmulator }, changeAccess: { $0.secrets = [Secret(Self.secret)] }
        ) { service in
            let answer = try await service.tcpClient.ask(
                .post, path, headers: [.origin: origin, .named("sec-fetch-site"): "cross-site"],
                body: .bytes(Array("1".utf8)))
            #expect(answer.status == status, "\(answer.text)")
        }
    }

    @Test(
        "Databases are reachable by the host names of their vendor, and read their namespace from these",
        arguments: [
            ("one.firebaseio.com", 200, "1"), ("one.europe-west1.firebasedatabase.app", 200, "1"),
            ("other.firebaseio.com", 200, "null"), ("127.0.0.1", 200, "\"main\""), ("localhost", 200, "\"main\""),
            ("one.evil.example", 403, ""), ("firebaseio.com.evil.example", 403, ""),
        ])
    func hosts(host: String, status: Int, value: String) async throws {
        try await withService(changeServer: { $0.database.isEmulator = true }) { service in
            _ = try await service.client.ask(.put, "/a.json?ns=one", body: .bytes(Array("1".utf8)))
            _ = try await service.client.ask(.put, "/a.json", body: .bytes(Array("\"main\"".utf8)))
            let answer = try await WireConnection.with(port: service.tcpPort) { connection in
                try await connection.send("GET /a.json HTTP/1.1\r\nHost: \(host):80\r\nConnection: close\r\n\r\n")
                return await connection.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            if status == 200 { #expect(answer.hasSuffix("\r\n\r\n\(value)"), "\(answer)") }
            if status == 403 { #expect(answer.contains("{\"error\":"), "\(answer)") }
        }
    }
}
