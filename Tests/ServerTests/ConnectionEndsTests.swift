import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import Transport

@Suite("The user at the other end of a connection", .timeLimit(.minutes(5)))
struct ConnectionEndsTests {
    @Test(
        "It is the user who holds the other end, over IPv4, IPv6, and IPv4 in IPv6",
        arguments: ["127.0.0.1", "::1", "::"])
    func users(address: String) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group).bind(host: address, port: 0).get()
        let here = try #require(server.localAddress?.port)
        let target = address == "::" ? "127.0.0.1" : address
        // A socket for all addresses reports IPv4 addresses like this.
        let shown = address == "::" ? "::ffff:127.0.0.1" : address
        func user(_ here: Int, _ there: Int) throws -> UInt32? {
            ConnectionEnds(
                here: try SocketAddress(ipAddress: shown, port: here),
                there: try SocketAddress(ipAddress: shown, port: there)
            ).peerUser
        }
        // So many that the kernel passes on its table in several pieces.
        var clients: [any Channel] = []
        for _ in 0..<100 {
            clients.append(try await ClientBootstrap(group: group).connect(host: target, port: here).get())
        }
        let ports = try clients.map { try #require($0.localAddress?.port) }
        for there in ports {
            #expect(try user(here, there) == geteuid())
            #expect(try user(there, here) == geteuid(), "the accepted end has the service's own user")
        }
        let there = ports[0]
        #expect(try user(here, 1) == nil, "no program has that port")
        #expect(try user(1, there) == nil, "it is connected to another port")
        for client in clients { try await client.close() }
        #expect(try user(here, there) == nil, "an end that was closed belongs to nobody")
        try await server.close()
    }
}
