import Client
import HTTPTypes
import Service
import TestSupport
import Testing
import Transport
import Tree

@Suite("Read rows count against the client, by every way to read", .timeLimit(.minutes(20)))
struct ReadLimitTests {
    /// A way to read a node with all its children.
    enum Way: String, CaseIterable {
        case get, keys, stream, socketGet, socketListener, socketQuery
    }

    private static let rules = #"{"rules": {".read": true, "open": {".write": "auth !== null"}}}"#
    private static let forwardedFor = HTTPField.Name("X-Forwarded-For")

    /// Runs a body with a service that trusts a proxy on this machine, and allows each client one request per second:
    /// 10,000 rows may be read at once.
    private func withFrugalService(_ body: @Sendable (Service) async throws -> Void) async throws {
        try await withService(
            changeServer: { settings in
                settings.limits.requestsPerSecond = 1
                settings.proxies = TrustedProxies(parsing: "127.0.0.1")
            }
        ) { service in
            try await service.tree.setRules(Self.rules)
            try await body(service)
        }
    }

    /// Returns the header fields of a request from an address, with or without a token.
    private func fields(_ uid: String?, at address: String, _ service: Service) throws -> HTTPFields {
        var fields = try uid.map { try service.headers(of: $0) } ?? HTTPFields()
        if let name = Self.forwardedFor { fields[name] = address }
        return fields
    }

    private func read(_ way: Way, _ fields: HTTPFields, _ service: Service) async throws {
        switch way {
        case .get: #expect(try await service.tcpClient.get("/all.json", headers: fields).status == 200)
        case .keys: #expect(try await service.tcpClient.get("/all.json?shallow=true", headers: fields).status == 200)
        case .stream:
            let text = fields.map { "\($0.name.canonicalName): \($0.value)\r\n" }.joined()
            let start = try await WireConnection.with(port: service.tcpPort) { connection in
                try await connection.send(
                    "GET /all.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\(text)\r\n")
                return await connection.read(through: "\n\n")
            }
            #expect(start?.contains("event: put") == true)
        case .socketGet: try await speak("g", #"{"p":"/all"}"#, fields, service)
        case .socketListener: try await speak("q", #"{"p":"/all","h":""}"#, fields, service)
        case .socketQuery:
            try await speak("q", #"{"p":"/all","q":{"i":".value","l":1,"vf":"l"},"t":1,"h":""}"#, fields, service)
        }
    }

    /// Sends a request over a WebSocket, with the identity in the header fields.
    private func speak(_ action: String, _ body: String, _ fields: HTTPFields, _ service: Service) async throws {
        let address = Self.forwardedFor.flatMap { fields[$0] } ?? ""
        let client = try await WireClient(service, overTCP: true, headers: "X-Forwarded-For: \(address)\r\n")
        if let token = fields[.authorization]?.dropFirst("Bearer ".count) {
            _ = try await client.answer("auth", #"{"cred":"\#(token)"}"#)
        }
        #expect(try await client.answer(action, body).last?.contains(#""s":"ok""#) == true)
        await client.close()
    }

    @Test(
        "A client waits after many rows before its next read; other clients of the address, writes and pages do not",
        arguments: Way.allCases, ["maria", nil] as [String?])
    func reads(way: Way, uid: String?) async throws {
        try await withFrugalService { service in
            let members = (0..<19_900).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
            #expect(
                try await service.client.ask(.put, "/all.json", body: .bytes(Array("{\(members)}".utf8))).status == 200)
            let fields = try fields(uid, at: "192.0.2.7", service)
            var answer: Answer?
            // On a machine that needs seconds for a read, the balance may have been restored.
            while answer?.status != 429 {
                try await read(way, fields, service)
                answer = try await service.tcpClient.get("/open.json", headers: fields)
            }
            #expect(answer?.text.contains("reads too much") == true, "\(answer?.text ?? "")")
            #expect(answer?.headers[.retryAfter].flatMap { Int($0) } ?? 0 >= 1)
            let other = try self.fields(uid == nil ? "maria" : nil, at: "192.0.2.7", service)
            #expect(try await service.tcpClient.get("/open.json", headers: other).status == 200)
            #expect(try await service.tcpClient.get("/", headers: fields).status == 200)
            let writer = try self.fields("maria", at: "192.0.2.7", service)
            let written = try await service.tcpClient.ask(
                .put, "/open/a.json", headers: writer, body: .bytes(Array("1".utf8)))
            #expect(written.status == 200, "\(written.text)")
        }
    }

    @Test(
        "A PATCH with conditions waits after many rows, because it reads; one without conditions does not",
        arguments: [("if-match", "null_etag"), ("tintype-if-match", #"{"b":null}"#)])
    func conditions(name: String, value: String) async throws {
        try await withFrugalService { service in
            let members = (0..<19_900).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
            #expect(
                try await service.client.ask(.put, "/all.json", body: .bytes(Array("{\(members)}".utf8))).status == 200)
            let fields = try fields("maria", at: "192.0.2.7", service)
            var conditional = fields
            conditional[.named(name)] = value
            func patch(_ fields: HTTPFields) async throws -> Answer {
                try await service.tcpClient.ask(
                    .patch, "/open.json", headers: fields, body: .bytes(Array(#"{"a":1}"#.utf8)))
            }
            var answer: Answer?
            while answer?.status != 429 {
                try await read(.get, fields, service)
                answer = try await patch(conditional)
            }
            #expect(answer?.text.contains("reads too much") == true, "\(answer?.text ?? "")")
            #expect(try await patch(fields).status == 200)
        }
    }

    @Test("The lists of the photo API count like reads of the database", arguments: ["maria", nil] as [String?])
    func lists(uid: String?) async throws {
        try await withFrugalService { service in
            let more = (0..<600).map { "\"k\($0)\":1" }.joined(separator: ",")
            for id in 0..<60 {
                let post = #"{"timestamp":1,"author":{"uid":"noah"},"more":{\#(more)}}"#
                let answer = try await service.client.ask(
                    .put, "/posts/p\(id).json", body: .bytes(Array(post.utf8)))
                #expect(answer.status == 200, "\(answer.text)")
            }
            let fields = try fields(uid, at: "192.0.2.7", service)
            var answers: [Answer] = []
            while answers.last?.status != 429 {
                answers.append(try await service.tcpClient.get("/v1/posts?limit=60", headers: fields))
            }
            #expect(answers.first?.status == 200)
            #expect(answers.last?.text.contains("reads too much") == true, "\(answers.last?.text ?? "")")
            #expect(try await service.tcpClient.get("/open.json", headers: fields).status == 429)
            #expect(try await service.tcpClient.get("/healthz", headers: fields).status == 200)
        }
    }
}
