import Service
import TestSupport
import Testing

@testable import Transport

@Suite("Connections beyond the limit", .timeLimit(.minutes(20)))
struct ConnectionRoomTests {
    private static let request = "GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test(
        "The tree, the photos and the socket keep the descriptors that they need",
        arguments: [
            (600, 413, 450), (1024, 704, 768), (1_048_576, 720_896, 786_432), (160, 48, 64), (64, 1, 2), (0, 1, 2),
        ])
    func limits(descriptors: Int, tcp: Int, all: Int) {
        #expect(ConnectionLimits(descriptors: descriptors) == ConnectionLimits(tcp: tcp, all: all))
    }

    /// Runs the body while this many connections to the TCP port are open and have been answered once.
    private func withConnections<R: Sendable>(
        _ count: Int, _ service: Service, _ body: @Sendable () async throws -> R
    ) async throws -> R {
        guard count > 0 else { return try await body() }
        return try await WireConnection.with(port: service.tcpPort) { connection in
            try await connection.send(Self.request)
            _ = await connection.read(until: "}")
            return try await withConnections(count - 1, service, body)
        }
    }

    @Test("A connection to the full TCP port is answered when others end; the socket answers meanwhile")
    func full() async throws {
        try await withService(changeServer: { $0.connections = ConnectionLimits(tcp: 3, all: 8) }) { service in
            let before = try await withConnections(2, service) { try await service.client.get("/readyz").status }
            #expect(before == 200)
            let late = try await withConnections(3, service) {
                let readiness = try await service.client.get("/readyz")
                #expect(readiness.status == 503, "\(readiness.text)")
                #expect(readiness.json["code"].string == "too_many_connections")
                let id = try await service.client.post("still")
                #expect(id != nil)
                return Task {
                    try await WireConnection.with(port: service.tcpPort) { connection in
                        try await connection.send(Self.request)
                        return await connection.read(until: "}")
                    }
                }
            }
            let text = try await late.value
            #expect(text.hasPrefix("HTTP/1.1 200 "), "\(text)")
            try await eventually { try await service.client.get("/readyz").status == 200 }
            #expect(try await service.tcpClient.get("/v1/version").status == 200)
        }
    }
}
