import API
import Client
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@Suite("The client", .timeLimit(.minutes(30)))
struct ClientTests {
    @Test("Where nobody listens, it says so", arguments: ["missing.sock", "file"])
    func noService(name: String) async throws {
        try await withScratch { scratch in
            try scratch.write("no socket", to: "file")
            let path = "\(scratch.path)/\(name)"
            let error = await #expect(throws: Failure.self) {
                try await ServiceClient(.socket(path: path)).ask(.get, "/")
            }
            #expect(error?.code == .noService)
            #expect(error?.message == "no service is listening on \(path)")
        }
    }

    @Test("A port where nobody listens, too")
    func noServiceOnPort() async throws {
        // Port 1 is for privileged programs, and none has asked for it (TCPMUX) in decades: the system never gives it out.
        let port = 1
        let error = await #expect(throws: Failure.self) {
            try await ServiceClient(.tcp(host: "127.0.0.1", port: port)).ask(.get, "/")
        }
        #expect(error?.code == .noService)
        #expect(error?.message.contains("127.0.0.1:\(port)") == true)
    }

    @Test("What the body's source throws is what the caller gets")
    func brokenSource() async throws {
        struct Broken: Error {}
        try await withService { service in
            let body = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
                continuation.yield(ByteBuffer(string: "half"))
                continuation.finish(throwing: Broken())
            }
            await #expect(throws: Broken.self) {
                try await service.client.ask(.post, "/v1/uploads?user=maria", body: .stream(byteCount: 10, body))
            }
        }
    }

    @Test("Cancelling the task ends the request")
    func cancellation() async throws {
        try await withService { service in
            let task = Task {
                try await service.client.send(.get, "/v1/posts/events") { _, body in
                    for try await _ in body {}
                }
            }
            _ = try await service.client.get("/healthz")
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
        }
    }

    @Test("An answer that is longer than wanted is an error, not memory")
    func tooLong() async throws {
        try await withService { service in
            _ = await #expect(throws: NIOTooManyBytesError.self) {
                _ = try await service.client.send(.get, "/page/page.css") { _, body in try await body.collect(upTo: 100)
                }
            }
        }
    }
}
