import API
import Files
import Glibc
import NIOCore
import TestSupport
import Testing

@testable import Requests
@testable import Service

@Suite("The addresses of a server are tested before it starts", .timeLimit(.minutes(5)))
struct ListenAddressesTests {
    /// Returns a port without a listener, below the ephemeral ports: neither another test nor the end of a visitor's
    /// own connection can use it.
    private func freePort() throws -> UInt16 {
        let ports = (0..<100).map { _ in UInt16.random(in: 10_000..<30_000) }
        let port = try ports.first { port in
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            return try loopback(port: port).withSockAddr { address, size in bind(socket, address, socklen_t(size)) == 0
            }
        }
        return try #require(port)
    }

    private func loopback(port: UInt16) throws -> SocketAddress {
        try SocketAddress(ipAddress: "127.0.0.1", port: Int(port))
    }

    /// Connects, sends a byte and waits for an answer; returns nil without a listener, else whether the connection
    /// ended.
    ///
    /// It sends a byte, as clients of HTTP do: a listener that closes during a handshake can leave the other end
    /// unaware of it (seen with Linux 6.18), and a byte that is sent there is answered by a reset.
    private func visit(_ address: SocketAddress) -> Bool? {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let isConnected = address.withSockAddr { address, size in connect(socket, address, socklen_t(size)) == 0 }
        guard isConnected else { return nil }
        var byte = UInt8(ascii: "G")
        _ = send(socket, &byte, 1, Int32(MSG_NOSIGNAL))
        return recv(socket, &byte, 1, 0) == 0 || errno != EAGAIN
    }

    @Test("A client that connects meanwhile does not wait for ever")
    func visitors() async throws {
        try await withScratch { scratch in
            let port = try freePort()
            let loopback = try loopback(port: port)
            let addresses = ListenAddresses(
                socketPath: "\(scratch.path)/s.sock", tcp: try ListenAddress("127.0.0.1:\(port)"))
            try await withThrowingTaskGroup { group in
                group.addTask {
                    while !Task.isCancelled { try await addresses.check() }
                }
                group.addTask {
                    var endedCount = 0
                    while endedCount < 500, !Task.isCancelled {
                        let isEnded = try await FileThreads.run { () throws(FileError) in visit(loopback) }
                        try #require(isEnded != false)
                        if isEnded == true { endedCount += 1 }
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }
}
