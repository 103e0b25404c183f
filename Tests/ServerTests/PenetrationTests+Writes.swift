import Client
import HTTPTypes
import TestSupport
import Testing
import Tree

/// Attacks by writes.
extension PenetrationTests {
    private static let personalRules = """
        {"rules": {"mine": {"$uid": {".read": "auth.uid === $uid", ".write": "auth.uid === $uid"}}}}
        """

    @Test("A long body is not awaited from a user without write access", arguments: ["PUT", "PATCH"])
    func unfinishedBody(method: String) async throws {
        try await withService { service in
            try await service.tree.setRules(Self.personalRules)
            for path in ["/mine/maria.json", "/mine.json"] {
                let answer = try await WireConnection.with(port: service.tcpPort) { connection in
                    try await connection.send(
                        "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 17000000\r\n\r\n{\"a\":")
                    return await connection.read(until: "}")
                }
                #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
            }
            let answer = try await service.tcpClient.ask(
                .put, "/mine/maria.json", headers: try service.headers(of: "maria"), body: .bytes(Array("1".utf8)))
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test("White space is not progress: a body of it is refused before its end arrives")
    func whiteSpace() async throws {
        try await withService { service in
            try await service.tree.setRules(Self.personalRules)
            let token = try #require(try service.headers(of: "maria")[.authorization])
            let answer = try await WireConnection.with(port: service.tcpPort) { connection in
                try await connection.send(
                    """
                    PUT /mine/maria.json HTTP/1.1\r\nHost: localhost\r\nAuthorization: \(token)\r\n\
                    Content-Length: 17000000\r\n\r\n{"a":\(String(repeating: " ", count: 8192))
                    """)
                return await connection.read(until: "}")
            }
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        }
    }

    @Test("A long message in pieces is read only for a user who may write, once the token is verified")
    func pieces() async throws {
        try await withService { service in
            try await service.tree.setRules(Self.personalRules)
            let body = #"{"p":"/mine/maria","d":"\#(String(repeating: "x", count: 1 << 20))"}"#
            let stranger = try await WireClient(service, overTCP: true)
            for _ in 0..<2 {
                let heard = try await stranger.answer("p", body)
                #expect(heard.count == 1 && heard[0].contains(#""s":"permission_denied""#), "\(heard)")
            }
            // The proof precedes the message, and is verified before the message is judged.
            let token = try #require(try service.headers(of: "maria")[.authorization]?.dropFirst("Bearer ".count))
            try await stranger.ask("auth", #"{"cred":"\#(token)"}"#)
            let heard = try await stranger.answer("p", body)
            #expect(heard.last?.contains(#""s":"ok""#) == true, "\(heard)")
            #expect(try await service.tree.get("mine/maria") != nil)
            await stranger.close()
        }
    }

    private static func posts(_ count: Int) -> String {
        let members = (0..<count).map { post in
            let tags = (0..<30).map { "#t\(post)x\($0)" }.joined(separator: " ")
            return "\"p\(post)/text\":\"\(tags)\""
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    private static func members(_ count: Int, _ value: String) -> String {
        "{" + (0..<count).map { "\"k\($0)\":\(value)" }.joined(separator: ",") + "}"
    }

    @Test("The effects of very many posts, paths or values in one request do not delay others")
    func muchAtOnce() async throws {
        let requests: [(path: String, body: String, status: Int)] = [
            ("/posts.json", Self.posts(3000), 400), ("/posts.json", Self.posts(40), 400),
            ("/posts.json", Self.posts(10), 200),
            ("/open.json", Self.members(1000, "null"), 200), ("/open.json", Self.members(1000, "1"), 200),
            ("/open.json", Self.members(20_001, "1"), 400), ("/open.json", Self.members(1_000_000, "null"), 400),
        ]
        try await withService { service in
            try await service.tree.setRules(
                #"{"rules": {"posts": {".write": "auth !== null"}, "open": {".write": "auth !== null"}}}"#)
            let maria = try service.headers(of: "maria")
            for request in requests {
                let answer = try await service.tcpClient.ask(
                    .patch, request.path, headers: maria, body: .bytes(Array(request.body.utf8)))
                #expect(answer.status == request.status, "\(answer.text.prefix(300))")
            }
            // The writes count against their author alone.
            #expect(try await service.tcpClient.get("/open.json", headers: maria).status == 429)
            let noah = try service.headers(of: "noah")
            let small = try await service.tcpClient.ask(
                .put, "/open/a.json", headers: noah, body: .bytes(Array("1".utf8)))
            #expect(small.status == 200, "\(small.text)")
            // The owner has no such limit.
            let answer = try await service.client.ask(
                .patch, "/open.json", body: .bytes(Array(Self.members(20_001, "2").utf8)))
            #expect(answer.status == 200, "\(answer.text.prefix(300))")
        }
    }
}
