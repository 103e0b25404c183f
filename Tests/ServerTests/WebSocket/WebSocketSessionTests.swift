import API
import Access
import Client
import Database
import HTTPTypes
import Server
import TestSupport
import Testing
import Tree

@Suite("Sessions by WebSocket: their identity and their end", .timeLimit(.minutes(20)))
struct WebSocketSessionTests {
    private static let rules = """
        {"rules": {"open": {".read": true, ".write": true},
                   "mine": {"$uid": {".read": "auth.uid == $uid", ".write": "auth.uid == $uid"}},
                   "members": {".read": "root.child('open/members').hasChild(auth.uid)", ".write": false}}}
        """

    private func setRules(_ service: Service, _ rules: String = rules) async throws {
        let answer = try await service.client.ask(
            .put, "/.settings/rules.json", body: .bytes(Array(rules.utf8)))
        #expect(answer.status == 200)
    }

    private func token(of uid: String, in service: Service) throws -> String {
        try #require(try service.headers(of: uid)[.authorization]?.dropFirst("Bearer ".count).description)
    }

    @Test("Over TCP a session has no identity until it sends a token, and none again after it withdraws it")
    func authentication() async throws {
        try await withService { service in
            try await setRules(service)
            let client = try await WireClient(service, overTCP: true)
            let denied = #"{"t":"d","d":{"r":*,"b":{"s":"permission_denied","d":"Permission denied"}}}"#
            #expect(try await client.answer("p", #"{"p":"/mine/maria","d":1}"#).last?.matches(denied) == true)
            let token = try token(of: "maria", in: service)
            let answer = try await client.answer("auth", #"{"cred":"\#(token)"}"#)
            #expect(answer.last?.matches(#"*{"s":"ok","d":{"auth":{*"uid":"maria"*},"expires":*}}}}"#) == true)
            #expect(try await client.answer("p", #"{"p":"/mine/maria","d":1}"#).last?.contains(#""ok""#) == true)
            #expect(try await client.answer("q", #"{"p":"/mine/maria","h":""}"#).count == 2)
            #expect(try await client.answer("q", #"{"p":"/mine/tom","h":""}"#).last?.matches(denied) == true)
            // A session without an identity receives nothing more.
            try await client.ask("unauth", "{}")
            var heard: [String] = []
            while let message = try await client.hear() {
                heard.append(message)
                if heard.count == 2 { break }
            }
            #expect(heard.contains(#"{"t":"d","d":{"a":"c","b":{"p":"mine/maria"}}}"#))
            _ = try await service.client.ask(.put, "/mine/maria.json", body: .bytes(Array("2".utf8)))
            #expect(try await client.answer("g", #"{"p":"/open"}"#).count == 1)
            await client.close()
        }
    }

    @Test("S4: A session whose token expires gets a message, and has no identity afterwards")
    func expiry() async throws {
        try await withService { service in
            try await setRules(service)
            let client = try await WireClient(service, overTCP: true)
            let token = try service.authority.issue(["sub": "maria", "user_id": "maria"], lifetimeSeconds: 2)
            _ = try await client.answer("auth", #"{"cred":"\#(token)"}"#)
            _ = try await client.answer("q", #"{"p":"/mine/maria","h":""}"#)
            var heard: Set<String> = []
            while heard.count < 2, let message = try await client.hear() { heard.insert(message) }
            #expect(
                heard == [
                    #"{"t":"d","d":{"a":"ac","b":{"s":"expired_token","d":"Auth token is expired"}}}"#,
                    #"{"t":"d","d":{"a":"c","b":{"p":"mine/maria"}}}"#,
                ])
            let answer = try await client.answer("p", #"{"p":"/mine/maria","d":1}"#)
            #expect(answer.last?.contains("permission_denied") == true)
            await client.close()
        }
    }

    @Test("S4: A listener is checked again when rules change, and when the data that they read changes")
    func judgedAgain() async throws {
        try await withService { service in
            try await setRules(service)
            try await service.tree.set("open/members/maria", to: true)
            let client = try await WireClient(service, overTCP: true)
            _ = try await client.answer("auth", #"{"cred":"\#(try token(of: "maria", in: service))"}"#)
            _ = try await client.answer("q", #"{"p":"/members","q":{"l":3},"t":7,"h":""}"#)
            _ = try await client.answer("q", #"{"p":"/open","h":""}"#)
            try await service.tree.set("open/members/maria", to: nil)
            var heard: [String] = []
            while heard.count < 2, let message = try await client.hear() { heard.append(message) }
            #expect(heard.contains(#"{"t":"d","d":{"a":"c","b":{"p":"members","q":[{"l":3}]}}}"#))
            try await setRules(service, #"{"rules":{}}"#)
            #expect(try await client.hear() == #"{"t":"d","d":{"a":"c","b":{"p":"open"}}}"#)
            await client.close()
        }
    }

    @Test(
        "S3: The writes left for the end of a session are applied in one commit, however it ends",
        arguments: ["close", "cut", "half", "ls", "bad"])
    func disconnect(way: String) async throws {
        try await withService { service in
            let listener = try await WireClient(service)
            _ = try await listener.answer("q", #"{"p":"/","h":""}"#)
            let client = try await WireClient(service)
            _ = try await client.answer("o", #"{"p":"/gone","d":{".sv":{"increment":1}}}"#)
            _ = try await client.answer("om", #"{"p":"/more","d":{"a":1,"b/c":2}}"#)
            _ = try await client.answer("o", #"{"p":"/not","d":1}"#)
            _ = try await client.answer("oc", #"{"p":"/not","d":null}"#)
            #expect(try await service.tree.get(.root)?["gone"] == nil)
            switch way {
            case "close":
                try await client.sendFrame([0x03, 0xE8], opcode: 8)
                try await client.untilClosed()
                #expect(client.closeCode == 1000)
            case "cut": await client.close()
            case "half":
                await client.closeOutput()
                try await client.untilClosed()
            case "bad":
                try await client.say("nonsense")
                try await client.untilClosed()
                #expect(client.closeCode == 1002)
            default:
                let next = try await WireClient(service, "&ls=\(client.sessionID)")
                // It is written before any work for the new session.
                #expect(try await next.answer("g", #"{"p":"/gone"}"#).last?.contains(#""d":1}"#) == true)
                await next.close()
                try await client.untilClosed()
                #expect(client.closeCode == 1001)
            }
            try await eventually { try await service.tree.get("gone") == 1 }
            #expect(try await service.tree.get("more") == ["a": 1, "b": ["c": 2]])
            #expect(try await service.tree.get("not") == nil)
            let told = try await listener.hear()
            #expect(told == #"{"t":"d","d":{"a":"m","b":{"p":"","d":{"gone":1,"more/a":1,"more/b/c":2}}}}"#)
            await listener.close()
            await client.close()
        }
    }

    @Test("S3: A shutdown is announced to each session, and applies their writes for the disconnect")
    func shutDown() async throws {
        let heard = try await withService { service in
            let client = try await WireClient(service)
            _ = try await client.answer("o", #"{"p":"/gone","d":true}"#)
            async let end: Void = service.shutDown()
            try await client.untilClosed()
            await end
            try await eventually { try await service.tree.get("gone") == true }
            return client.closeCode
        }
        #expect(heard == 1001)
    }

    @Test(
        "S16: Frames that no client sends end the session with the code of the reason",
        arguments: [
            ("unmasked", 1002), ("binary", 1003), ("reserved", 1002), ("long", 1009), ("continuation", 1002),
        ])
    func badFrames(kind: String, code: Int) async throws {
        try await withService { service in
            let client = try await WireClient(service)
            switch kind {
            case "unmasked": try await client.sendFrame(Array("{}".utf8), isMasked: false)
            case "binary": try await client.sendFrame([1, 2], opcode: 2)
            case "reserved": try await client.sendFrame([1], opcode: 3)
            case "long": try await client.sendFrame([UInt8](repeating: 0x20, count: 70_000))
            default: try await client.sendFrame([0x31], opcode: 0)
            }
            try await client.untilClosed()
            #expect(client.closeCode == code)
            await client.close()
            #expect(try await service.client.ask(.get, "/healthz").status == 200)
        }
    }

    @Test("A write over the limit is refused, and the session continues")
    func tooLong() async throws {
        try await withService { service in
            let client = try await WireClient(service)
            let text = String(repeating: "x", count: 17 << 20)
            let heard = try await client.answer("p", #"{"p":"/a","d":"\#(text)"}"#)
            #expect(heard.count == 1 && heard[0].contains(#""s":"write_too_big""#))
            #expect(try await client.answer("p", #"{"p":"/a","d":1}"#).count == 1)
            #expect(try await service.tree.get("a") == 1)
            await client.close()
        }
    }

    @Test("S5: A refused request for a WebSocket is answered, and ends its connection")
    func refused() async throws {
        let cases = [
            ("GET /.ws?v=5 HTTP/1.1\r\nHost: localhost\r\n\r\n", 426),
            (WireClient.handshake("/.ws?v=5&ns=no%20name"), 404),
            (WireClient.handshake("/.ws").replacing("Version: 13", with: "Version: 12"), 426),
            (WireClient.handshake("/.ws", "Origin: https://elsewhere.example\r\n"), 403),
            (WireClient.handshake("/.ws").replacing("Host: localhost", with: "Host: elsewhere.example"), 403),
            ("GET /a.json HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 401),
        ]
        try await withService { service in
            for (request, status) in cases {
                try await WireConnection.with(port: service.tcpPort) { connection in
                    try await connection.send(request)
                    let answer = await connection.answer()
                    #expect(answer?.status == status, "\(request)")
                    guard request.contains("Upgrade:") else { return }
                    #expect(answer?.headers[.connection] == "close")
                    #expect(await connection.readToEnd() == "")
                }
            }
        }
    }

    @Test("A WebSocket may follow other requests on its connection, once these are answered")
    func afterOthers() async throws {
        try await withService { service in
            try await WireConnection.with(socket: service.socketPath) { connection in
                let read = "GET /a.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
                try await connection.send(read + read + WireClient.handshake("/.ws?v=5"))
                #expect(await connection.answer()?.status == 200)
                #expect(await connection.answer()?.status == 200)
                #expect(await connection.read(through: "\r\n\r\n")?.hasPrefix("HTTP/1.1 101 ") == true)
            }
        }
    }

    @Test(
        "The names that SDKs use for a database without one mean the service's own tree",
        arguments: [("&ns=", "a"), ("&ns=localhost", "a"), ("&ns=tintype", "a"), ("", "a"), ("&ns=other", "null")])
    func names(query: String, value: String) async throws {
        try await withService { service in
            try await service.tree.set("x", to: "a")
            let client = try await WireClient(service, query)
            let expected = value == "null" ? "null" : "\"\(value)\""
            #expect(try await client.answer("g", #"{"p":"/x"}"#).last?.hasSuffix("\"d\":\(expected)}}}") == true)
            await client.close()
        }
    }

    @Test(
        "S5: A browser in long polling is sent back to WebSockets, by a script that does nothing else"
    )
    func longPolling() async throws {
        try await withService { service in
            let answer = try await service.tcpClient.ask(.get, "/.lp?start=t&ser=123&cb=4&v=5&ns=tintype")
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType]?.hasPrefix("application/javascript") == true)
            #expect(answer.text.hasSuffix(#"parent["pLPCommand4"]("close")"#))
            for query in ["", "?start=t", "?start=t&cb=x", "?start=t&cb=1);alert(1", "?id=1&pw=2"] {
                #expect(try await service.tcpClient.ask(.get, "/.lp\(query)").status == 404)
            }
        }
    }

    @Test("S6: A client that does not read is disconnected, and does not delay others")
    func slowReader() async throws {
        try await withService { service in
            try await WireConnection.with(socket: service.socketPath) { slow in
                try await slow.send(WireClient.handshake("/.ws?v=5"))
                #expect(await slow.read(through: "\"s\":") != nil)
                let listen = #"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/a","h":""}}}"#
                let masked = [0x81, 0x80 | UInt8(listen.utf8.count), 0, 0, 0, 0] + Array(listen.utf8)
                try await slow.send(masked)
                #expect(await slow.read(through: "\"r\":1") != nil)
                slow.stopReading()
                let other = try await WireClient(service)
                let text = String(repeating: "x", count: 1 << 20)
                for number in 0..<24 {
                    _ = try await other.answer("p", #"{"p":"/a/\#(number % 2)","d":"\#(text)\#(number)"}"#)
                }
                slow.beginReading()
                let heard = await slow.readToEnd()
                #expect(heard.utf8.count < 24 << 20, "it would have heard everything")
                await other.close()
            }
        }
    }
}
