import DaemonSupport
import Foundation
import Testing
import TintypeClient

@Suite("A transport, time and cancellation", .timeLimit(.minutes(3)))
struct TransportTimeTests {
    private static let streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    @Test("Slow bytes are no timeout", arguments: [TransportKind.standard, .recording])
    func slowBytes(_ kind: TransportKind) async throws {
        try await ScriptedServer.run({ connection in
            guard try connection.request() != nil else { return }
            for byte in Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8) {
                try connection.wait(.milliseconds(40))
                try connection.send(Data([byte]))
            }
        }) { address in
            try await kind.run { transport in
                var request = TransportRequest("GET", address)
                request.idleTimeout = .seconds(1)
                let answer = try await transport.response(to: request)
                #expect(answer.body == Data("ok".utf8))
            }
        }
    }

    @Test(
        "A cancelled request ends at once and closes its connection",
        arguments: TransportKind.allCases,
        ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na"])
    func cancellation(_ kind: TransportKind, _ begin: String) async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: String.self)
        try await ScriptedServer.run({ connection in
            guard try connection.request() != nil else { return }
            try connection.send(begin)
            arrival.yield("request")
            try connection.waitForEnd()
            arrival.yield("end")
        }) { address in
            try await kind.run { transport in
                var events = arrivals.makeAsyncIterator()
                let task = Task { try await transport.response(to: TransportRequest("GET", address)) }
                #expect(await events.next() == "request")
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(await events.next() == "end")
            }
        }
    }

    @Test("A task that is cancelled already sends no request", arguments: TransportKind.allCases)
    func cancelledBefore(_ kind: TransportKind) async throws {
        let requests = Guarded(0)
        try await ScriptedServer.run({ connection in
            if try connection.request() != nil { requests.withLock { $0 += 1 } }
        }) { address in
            try await kind.run { transport in
                let task = Task {
                    while !Task.isCancelled { await Task.yield() }
                    _ = try await transport.response(to: TransportRequest("GET", address))
                }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
        #expect(requests.withLock { $0 } == 0)
    }

    @Test(
        "A stream that nobody reads on closes its connection",
        arguments: TransportKind.allCases, ["loop", "task", "close"])
    func endOfStream(_ kind: TransportKind, _ way: String) async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await ScriptedServer.run({ connection in
            guard try connection.request() != nil else { return }
            try connection.send(Self.streamHead + "data: 1\n\n")
            try connection.waitForEnd()
            end.yield()
        }) { address in
            try await kind.run { transport in
                let (begun, begin) = AsyncStream.makeStream(of: Void.self)
                let task = Task {
                    let stream = try await transport.stream(for: TransportRequest("GET", address))
                    for try await _ in stream.chunks {
                        if way == "loop" { return }
                        begin.yield()
                    }
                }
                if way != "loop" { for await _ in begun { break } }
                if way == "task" { task.cancel() }
                if way == "close" { return }
                _ = await task.result
                for await _ in ends { return }
            }
            if way == "close" { for await _ in ends { return } }
        }
    }

    @Test("A stream whose reader is too slow ends with an error, and not with all memory")
    func slowReader() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await ScriptedServer.run({ connection in
            defer { end.yield() }
            guard try connection.request() != nil else { return }
            try connection.send(Self.streamHead)
            while true { try connection.send(Data(count: 1 << 20)) }
        }) { address in
            try await URLSessionTransport.run { transport in
                let stream = try await transport.stream(for: TransportRequest("GET", address))
                for await _ in ends { break }
                var count = 0
                let error = await #expect(throws: TransportError.self) {
                    for try await chunk in stream.chunks { count += chunk.count }
                }
                #expect(error?.cause == .interrupted)
                #expect((30 << 20)...(32 << 20) ~= count)
            }
        }
    }

    @Test("50 requests at a time are answered while 10 streams are open", arguments: TransportKind.allCases)
    func manyRequests(_ kind: TransportKind) async throws {
        try await ServiceProcess.run { service in
            try await kind.run { transport in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    var streams: [TransportStream] = []
                    for _ in 0..<10 {
                        let url = service.address.appendingPathComponent("v1/posts/events")
                        streams.append(try await transport.stream(for: TransportRequest("GET", url)))
                    }
                    #expect(streams.allSatisfy { $0.status == 200 })
                    for _ in 0..<50 {
                        group.addTask {
                            let url = service.address.appendingPathComponent("v1/posts")
                            let answer = try await transport.response(to: TransportRequest("GET", url))
                            #expect(answer.status == 200)
                        }
                    }
                    try await group.waitForAll()
                    withExtendedLifetime(streams) {}
                }
            }
        }
    }

    @Test("A closed transport ends its requests and refuses others")
    func close() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        try await ScriptedServer.run({ connection in
            _ = try connection.request()
            arrival.yield()
            try connection.waitForEnd()
        }) { address in
            let transport = URLSessionTransport()
            let task = Task { try await transport.response(to: TransportRequest("GET", address)) }
            for await _ in arrivals { break }
            transport.close()
            await #expect(throws: CancellationError.self) { try await task.value }
            for url in [address, try #require(URL(string: "https://127.0.0.1:1"))] {
                await #expect(throws: CancellationError.self) {
                    try await transport.response(to: TransportRequest("GET", url))
                }
            }
        }
    }

    #if os(Linux)
        @Test(
            "300 requests and 100 that are cancelled leave no memory and no descriptors behind",
            arguments: [TransportKind.standard, .session])
        func memory(_ kind: TransportKind) async throws {
            try await ScriptedServer.run(TransportTests.echo) { address in
                try await kind.run { transport in
                    func send(_ count: Int) async throws {
                        for number in 0..<count {
                            let body = TransportRequest.Body.data(Data(count: 1 << 18))
                            let request = TransportRequest("POST", address, body: body)
                            let task = Task { try await transport.response(to: request) }
                            if number % 4 == 3 { task.cancel() } else { _ = try await task.value }
                            _ = await task.result
                        }
                    }
                    try await send(100)
                    let (memory, files) = (try Self.residentKiB(), try Self.descriptorCount())
                    try await send(400)
                    let grown = (memory: try Self.residentKiB() - memory, files: try Self.descriptorCount() - files)
                    #expect(grown.memory < 30 << 10)
                    #expect(grown.files < 20)
                }
            }
        }

        private static func residentKiB() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }

        private static func descriptorCount() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
    #endif
}
