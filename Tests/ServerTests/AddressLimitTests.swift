import API
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Requests
@testable import Transport

@Suite("Connections of one address", .timeLimit(.minutes(20)))
struct AddressLimitTests {
    private let refused = Shared<[String]>([])
    private let limit: AddressLimit

    init() {
        var limits = ClientLimits()
        limits.connections = 2
        limit = AddressLimit(
            limiter: ClientLimiter(limits), proxies: TrustedProxies(parsing: "10.0.0.0/8")
        ) { [refused] address in refused.change { $0.append(address) } }
    }

    private func begin(_ address: String) throws -> ClientLimiter.Lease? {
        try limit.begin(from: try SocketAddress(ipAddress: address, port: 4711))
    }

    @Test(
        "Connections are limited per address, in every notation of it; other addresses have their own",
        arguments: [
            ("192.0.2.7", "::ffff:192.0.2.7", "192.0.2.8"), ("2001:db8::7", "2001:db8::8", "2001:db8:0:1::7"),
        ])
    func counted(address: String, other: String, stranger: String) throws {
        var leases = [try begin(address), try begin(other)]
        let error = #expect(throws: Failure.self) { try begin(address) }
        #expect(error?.code == .tooManyRequests)
        #expect(throws: Failure.self) { try begin(other) }
        #expect(throws: Never.self) { try begin(stranger) }
        #expect(refused.value.count == 2 && refused.value.first == address)
        leases.removeLast()
        leases.append(try begin(other))
        #expect(throws: Failure.self) { try begin(address) }
        #expect(leases.allSatisfy { $0 != nil })
    }

    @Test(
        "Programs on this machine and listed proxies have no limit",
        arguments: ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "10.1.2.3", "::ffff:10.1.2.3"])
    func unlimited(address: String) throws {
        for _ in 0..<10 { #expect(try begin(address) == nil) }
        #expect(refused.value.isEmpty)
    }

    @Test("The Unix socket has no limit; a connection that ended before its address was read has none either")
    func withoutAddress() throws {
        let socket = try SocketAddress(unixDomainSocketPath: "/tmp/socket")
        for _ in 0..<10 {
            #expect(try limit.begin(from: socket) == nil)
            #expect(try limit.begin(from: nil) == nil)
        }
    }

    @Test("A connection too many is closed before any byte and takes no room; when one ends, another is accepted")
    func closed() async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Greeter()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let room = ConnectionLimiter()
        let address = try SocketAddress(ipAddress: "192.0.2.7", port: 4711)
        await AcceptLimiter.guardConnections(of: listener, room, limit: 100) { [limit] _ throws(Failure) in
            try limit.begin(from: address)
        }
        try await WireConnection.with(port: port) { first in
            #expect(await first.read(through: "\n") == "hello\n")
            try await WireConnection.with(port: port) { second in
                #expect(await second.read(through: "\n") == "hello\n")
                for _ in 0..<5 {
                    try await WireConnection.with(port: port) { #expect(await $0.readToEnd() == "") }
                }
                #expect(room.count == 2)
            }
            try await eventually {
                try await WireConnection.with(port: port) { await $0.read(through: "\n") } == "hello\n"
            }
        }
        try await eventually { room.count == 0 }
        #expect(refused.value.count >= 5 && refused.value.allSatisfy { $0 == "192.0.2.7" })
        try await listener.close().get()
    }

    @Test("The log names some refused connections and counts the rest")
    func told() throws {
        let log = RecordingLog()
        let audit = AuditLog(log.logger)
        for _ in 0..<10_000 { audit.refusedConnection(from: "192.0.2.7") }
        let told = log.entries.map(\.metadata)
        #expect((600..<2000).contains(told.count), "\(told.count)")
        #expect(told.allSatisfy { $0["address"] == "192.0.2.7" && $0["error"] == "too many connections" })
        #expect(told.first?["skipped"] == nil)
    }
}

/// Sends a few bytes on each new connection.
private final class Greeter: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "hello\n")), promise: nil)
    }
}
