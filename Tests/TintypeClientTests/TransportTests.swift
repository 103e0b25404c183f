import DaemonSupport
import Foundation
import Testing
import TintypeClient

@Suite("A transport and a server", .timeLimit(.minutes(3)))
struct TransportTests {
    /// Answers each request with its method, target, some fields and its body's digest as JSON, over one connection.
    @Sendable static func echo(_ connection: ScriptedConnection) throws {
        while let request = try connection.request() {
            let text = "\(request.method) \(request.target) \(request.headers["x-odd"] ?? "-") \(request.body.count)"
            let body = request.method == "HEAD" ? "" : text
            try connection.send(
                "HTTP/1.1 200 OK\r\nx-ECHO-line: \(text)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(body)")
        }
    }

    @Test(
        "Each method arrives with its path, query and fields",
        arguments: TransportKind.allCases, ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    func methods(_ kind: TransportKind, _ method: String) async throws {
        try await ScriptedServer.run(Self.echo) { address in
            try await kind.run { transport in
                let url = try #require(URL(string: "\(address)/v1/a%2Fb/c%20d?x=1%2B1&y"))
                var request = TransportRequest(method, url, headers: ["X-oDd": "a\r\nb: c"])
                if ["POST", "PUT", "PATCH"].contains(method) { request.body = .data(Data("{}".utf8)) }
                let answer = try await transport.response(to: request)
                let line = "\(method) /v1/a%2Fb/c%20d?x=1%2B1&y a  b: c \(request.body.count)"
                #expect(answer.status == 200)
                #expect(answer.headers["X-Echo-Line"] == line)
                #expect(String(decoding: answer.body, as: UTF8.self) == (method == "HEAD" ? "" : line))
            }
        }
    }

    /// A body and the bytes that arrive.
    struct BodyCase: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fileSize: Int?
        var offset = 0
        var count: Int
    }

    @Test(
        "A body arrives as it is, with its length and its progress", arguments: TransportKind.allCases,
        [
            BodyCase(testDescription: "no byte", count: 0),
            BodyCase(testDescription: "one byte", count: 1),
            BodyCase(testDescription: "5 MiB", count: 5 << 20),
            BodyCase(testDescription: "a whole small file", fileSize: 1000, count: 1000),
            BodyCase(testDescription: "the middle of a small file", fileSize: 1000, offset: 1, count: 998),
            BodyCase(testDescription: "no byte of a file", fileSize: 1000, offset: 1000, count: 0),
            BodyCase(testDescription: "a large part", fileSize: 12 << 20, offset: 5, count: 10 << 20),
            BodyCase(testDescription: "a large whole file", fileSize: 12 << 20, count: 12 << 20),
        ])
    func bodies(_ kind: TransportKind, _ test: BodyCase) async throws {
        let received = Guarded<[ScriptedRequest]>([])
        try await withFolder { folder in
            var bytes = patterned(test.fileSize ?? test.count)
            var body = TransportRequest.Body.data(bytes)
            if test.fileSize != nil {
                let file = folder.appendingPathComponent("photo")
                try bytes.write(to: file)
                bytes = Data(bytes[test.offset..<(test.offset + test.count)])
                body = .file(file, offset: Int64(test.offset), count: Int64(test.count))
            }
            try await ScriptedServer.run({ connection in
                guard let request = try connection.request() else { return }
                received.withLock { $0.append(request) }
                try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
            }) { address in
                try await kind.run { transport in
                    let progress = Guarded<[Int64]>([])
                    let request = TransportRequest("PUT", address, body: body)
                    let answer = try await transport.response(to: request) { sent in
                        progress.withLock { $0.append(sent) }
                    }
                    #expect(answer.status == 204 && answer.body.isEmpty)
                    let sent = progress.withLock { $0 }
                    #expect(sent == sent.sorted())
                    #expect(sent.last ?? 0 == Int64(test.count))
                }
            }
            let requests = received.withLock { $0 }
            #expect(requests.count == 1)
            #expect(requests.first?.body == bytes)
            #expect(requests.first?.headers["content-length"] == "\(test.count)")
        }
    }

    @Test(
        "A part that the file does not have is an error, and leaves no temporary file",
        arguments: [
            (-1 as Int64, 5 as Int64), (5, 10), (0, -1), (.max, .max), (0, 20 << 20),
        ])
    func unreadableParts(_ offset: Int64, _ count: Int64) async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("photo")
            try Data(count: 10).write(to: file)
            try await URLSessionTransport.run { transport in
                let url = try #require(URL(string: "http://127.0.0.1:1/"))
                for file in [file, folder.appendingPathComponent("missing"), folder] {
                    let request = TransportRequest("PUT", url, body: .file(file, offset: offset, count: count))
                    let error = await #expect(throws: TransportError.self) { try await transport.response(to: request) }
                    #expect(error?.cause == .unreadableFile)
                }
            }
        }
    }

    @Test(
        "An answer arrives as the server means it", arguments: [TransportKind.standard, .recording],
        [
            ("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 2\r\n\r\nno", 401, "no"),
            (
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"a\"\r\nContent-Length: 2\r\n\r\nno", 401,
                "no"
            ),
            ("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 2\r\n\r\nno", 302, "no"),
            ("HTTP/1.1 301 Moved\r\nLocation: //%zz:99999/\r\nContent-Length: 0\r\n\r\n", 301, ""),
            ("HTTP/1.1 307 Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", 307, ""),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", 304, ""),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n",
                200, "abcde"
            ),
            (
                "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Offset: 1\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
                    + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok"
            ),
            ("HTTP/1.0 200 OK\r\n\r\nto the end", 200, "to the end"),
            ("HTTP/1.1 200\r\nContent-Length:2\r\n\r\nok", 200, "ok"),
            ("HTTP/1.1 500 Error\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 2\r\n\r\nno", 500, "no"),
            ("HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nno", 999, "no"),
        ])
    func answers(_ kind: TransportKind, _ test: (answer: String, status: Int, body: String)) async throws {
        let connections = Guarded(0)
        try await ScriptedServer.run({ connection in
            guard try connection.request() != nil else { return }
            connections.withLock { $0 += 1 }
            for byte in Data(test.answer.utf8) { try connection.send(Data([byte])) }
        }) { address in
            try await kind.run { transport in
                let answer = try await transport.response(to: TransportRequest("GET", address))
                #expect(answer.status == test.status)
                #expect(String(decoding: answer.body, as: UTF8.self) == test.body)
                let stream = try await transport.stream(for: TransportRequest("GET", address))
                var body = Data()
                for try await chunk in stream.chunks { body += chunk }
                #expect(stream.status == test.status)
                #expect(String(decoding: body, as: UTF8.self) == test.body)
            }
        }
        #expect(connections.withLock { $0 } == 2, "a redirection was followed")
    }

    @Test(
        "An answer arrives over URLSession, too",
        arguments: [
            ("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 2\r\n\r\nno", 401, "no"),
            ("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 2\r\n\r\nno", 302, "no"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 200, "abcde"),
            ("HTTP/1.0 200 OK\r\n\r\nto the end", 200, "to the end"),
        ])
    func sessionAnswers(_ test: (answer: String, status: Int, body: String)) async throws {
        try await ScriptedServer.run({ connection in
            guard try connection.request() != nil else { return }
            try connection.send(test.answer)
        }) { address in
            try await TransportKind.session.run { transport in
                let answer = try await transport.response(to: TransportRequest("GET", address))
                #expect(answer.status == test.status)
                #expect(String(decoding: answer.body, as: UTF8.self) == test.body)
            }
        }
    }

    @Test(
        "A request on a kept connection that the server closes is sent once more, with its whole body",
        arguments: [TransportKind.standard, .recording])
    func keptConnection(_ kind: TransportKind) async throws {
        let bodies = Guarded<[Int]>([])
        try await ScriptedServer.run({ connection in
            guard let request = try connection.request() else { return }
            bodies.withLock { $0.append(request.body.count) }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            if connection.number == 0 { _ = try connection.head() }
        }) { address in
            try await kind.run { transport in
                for count in [1, 3 << 20] {
                    let request = TransportRequest("POST", address, body: .data(Data(count: count)))
                    let answer = try await transport.response(to: request)
                    #expect(answer.status == 200)
                }
            }
        }
        #expect(bodies.withLock { $0 } == [1, 3 << 20])
    }

    @Test("An answer before the end of the body ends the request", arguments: TransportKind.allCases)
    func earlyAnswer(_ kind: TransportKind) async throws {
        try await ScriptedServer.run({ connection in
            _ = try connection.head()
            try connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
            try connection.waitForEnd()
        }) { address in
            try await kind.run { transport in
                let request = TransportRequest("POST", address, body: .data(Data(count: 7 << 20)))
                let answer = try await transport.response(to: request)
                #expect(answer.status == 413)
            }
        }
    }

    @Test(
        "A service that cannot be reached is an error with its cause",
        arguments: [
            ("http://127.0.0.1:1/", TransportError.Cause.unreachable),
            ("https://127.0.0.1:1/", .unreachable),
            ("http://no-such-host.invalid/", .unreachable),
            ("https://no-such-host.invalid/", .unreachable),
            ("ftp://127.0.0.1/", .unreachable), ("file:///etc/passwd", .unreachable), ("data:,a", .unreachable),
            ("http:relative", .unreachable),
        ])
    func unreachable(_ address: String, _ cause: TransportError.Cause) async throws {
        try await URLSessionTransport.run { transport in
            let request = TransportRequest("GET", try #require(URL(string: address)))
            let error = await #expect(throws: TransportError.self) { try await transport.response(to: request) }
            #expect(error?.cause == cause)
            let streamError = await #expect(throws: TransportError.self) { try await transport.stream(for: request) }
            #expect(streamError?.cause == cause)
        }
    }
}
