import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Many connections at the TCP port, and few descriptors", .timeLimit(.minutes(20)))
struct DescriptorTests {
    /// Opens a connection to a port of this machine, and sends nothing.
    private func connect(to port: UInt16) throws -> FileHandle {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(descriptor >= 0 && result == 0)
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    @Test("The socket, uploads and the status continue; the port continues when the connections are closed")
    func crowd() async throws {
        struct Readiness: Decodable { let code: String }
        let photo = try Fixture.bytes("baseline-420.jpg")
        try await withScratch { scratch in
            let daemon = try await Daemon(
                storage: scratch.path + "/Storage", arguments: ["--listen", "127.0.0.1:0"], descriptors: 256)
            // The socket may answer before the port is named.
            var named: UInt16?
            try await eventually {
                named = try text(daemon.storage + ".log").firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) }
                return named != nil
            }
            let port = try #require(named)
            let crowd = try (0..<300).map { _ in try connect(to: port) }
            try await eventually { try await daemon.get("/readyz").status == 503 }
            #expect(try await daemon.get("/readyz").json(Readiness.self).code == "too_many_connections")
            for _ in 0..<3 { _ = try await daemon.upload(photo, by: "maria") }
            for connection in crowd { try connection.close() }
            try await eventually { try await daemon.get("/readyz").status == 200 }
            let tcp = ServiceClient(.tcp(host: "127.0.0.1", port: Int(port)))
            #expect(try await tcp.send(.get, "/v1/version") { response, _ in response.status.code } == 200)
            #expect(try await daemon.stop() == 0)
        }
    }
}
