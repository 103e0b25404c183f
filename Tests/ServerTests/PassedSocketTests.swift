import API
import Client
import Glibc
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import Requests
@testable import Service

@Suite("Sockets that a service manager passes", .timeLimit(.minutes(5)))
struct PassedSocketTests {
    /// Returns a socket at an address, which the caller closes.
    private func bound(to address: SocketAddress, type: Int32 = Int32(SOCK_STREAM.rawValue)) throws -> Int32 {
        let descriptor = socket(Int32(address.protocol.rawValue), type, 0)
        let result = address.withSockAddr { address, size in bind(descriptor, address, socklen_t(size)) }
        try #require(descriptor >= 0 && result == 0)
        return descriptor
    }

    private func listening(at address: SocketAddress) throws -> Int32 {
        let descriptor = try bound(to: address)
        try #require(listen(descriptor, 16) == 0)
        return descriptor
    }

    private func environment(_ count: String, for processID: Int32 = getpid()) -> [String: String] {
        ["LISTEN_PID": "\(processID)", "LISTEN_FDS": count, "LISTEN_FDNAMES": "web"]
    }

    @Test("They are recognised by their kind, and no child inherits them")
    func kinds() async throws {
        try await withScratch { scratch in
            for address in [
                try SocketAddress(ipAddress: "127.0.0.1", port: 0), try SocketAddress(ipAddress: "::1", port: 0),
                try SocketAddress(unixDomainSocketPath: "\(scratch.path)/s.sock"),
            ] {
                let descriptor = try listening(at: address)
                defer { close(descriptor) }
                let passed = try PassedSockets(environment: environment("1"), first: descriptor)
                let socket = address.protocol == .unix ? passed.unix : passed.tcp
                #expect(socket?.descriptor == descriptor)
                #expect((address.protocol == .unix ? passed.tcp : passed.unix) == nil)
                #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
                if let text = socket?.listenText {
                    #expect(try ListenAddress(text).isLoopback)
                } else {
                    #expect(socket?.address.pathname == "\(scratch.path)/s.sock")
                }
            }
        }
    }

    @Test("Those of another process, or of none, are left alone")
    func others() throws {
        for environment in [[:], ["LISTEN_FDS": "1"], environment("1", for: 1), environment("0")] {
            let passed = try PassedSockets(environment: environment, first: 900)
            #expect(passed.tcp == nil && passed.unix == nil)
        }
    }

    @Test("Other descriptors are refused")
    func refusals() throws {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
        let silent = try bound(to: address)
        let datagrams = try bound(to: address, type: Int32(SOCK_DGRAM.rawValue))
        let file = open("/dev/null", O_RDONLY)
        defer { for descriptor in [silent, datagrams, file] { close(descriptor) } }
        for (count, first) in [
            ("1", silent), ("1", datagrams), ("1", file), ("1", 100_000), ("-1", 3), ("x", 3), ("99", 3),
        ] {
            let failure = #expect(throws: Failure.self) {
                try PassedSockets(environment: environment(count), first: first)
            }
            #expect(failure?.code == .cannotListen)
        }
    }

    @Test("The service answers on them, and leaves the file of a passed Unix socket where it is")
    func answers() async throws {
        let tcp = try listening(at: try SocketAddress(ipAddress: "127.0.0.1", port: 0))
        let passed = try PassedSockets(environment: environment("1"), first: tcp)
        let socket = try #require(passed.tcp)
        let text = try #require(socket.listenText)
        try await withScratch { folder in
            let path = "\(folder.path)/passed.sock"
            let unix = try listening(at: try SocketAddress(unixDomainSocketPath: path))
            let unixSocket = try PassedSockets(environment: environment("1"), first: unix).unix
            let address = try ListenAddress(text)
            try await withService(changeServer: {
                $0.listen = address
                $0.passed = PassedSockets(tcp: socket, unix: unixSocket)
            }) { service in
                try await service.server.checkAddresses()
                #expect(service.tcpPort == socket.address.port)
                for client in [service.tcpClient, ServiceClient(.socket(path: path))] {
                    let answer = try await client.get("/healthz")
                    #expect(answer.status == 200)
                    #expect(answer.headers[.date]?.hasSuffix(" GMT") == true)
                }
                #expect(access(service.socketPath, F_OK) != 0)
            }
            #expect(access(path, F_OK) == 0)
        }
    }
}
