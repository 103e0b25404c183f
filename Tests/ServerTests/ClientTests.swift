import API
import Client
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@Suite("The client", .timeLimit(.minutes(20)))
struct ClientTests {
    @Test("A connection to a socket without a listener fails with a clear error", arguments: ["missing.sock", "file"])
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

    @Test("A path that no socket can have is a mistake, and no reason to try again")
    func longPath() async throws {
        for (count, code) in [(103, ErrorCode.noService), (104, .badSocketPath)] {
            let path = "/" + String(repeating: "x", count: count - 1)
            let error = await #expect(throws: Failure.self) {
                try await ServiceClient(.socket(path: path)).ask(.get, "/")
            }
            #expect(error?.code == code && error?.isTransient == (code == .noService), "\(String(describing: error))")
        }
    }

    @Test("A connection to a port without a listener fails likewise")
    func noServiceOnPort() async throws {
        // Port 1 is privileged, and its service (TCPMUX) has not been in use for decades: the system never assigns it.
        let port = 1
        let error = await #expect(throws: Failure.self) {
            try await ServiceClient(.tcp(host: "127.0.0.1", port: port)).ask(.get, "/")
        }
        #expect(error?.code == .noService)
        #expect(error?.message.contains("127.0.0.1:\(port)") == true)
    }

    @Test("An error thrown by the source of the body reaches the caller")
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

    @Test("An answer that is longer than the limit is an error and does not fill the memory")
    func tooLong() async throws {
        try await withService { service in
            _ = await #expect(throws: NIOTooManyBytesError.self) {
                _ = try await service.client.send(.get, "/page/page.css") { _, body in try await body.collect(upTo: 100)
                }
            }
        }
    }
}
