import API
import Glibc
import Logging
import NIOCore
import Service
import ServiceLifecycle
import TestSupport
import Testing
import Tree

@testable import Service

/// The socket of a service manager, which receives what a service tells it.
private final class ManagerSocket: Sendable {
    let descriptor: Int32

    /// - Parameter name: The value of `NOTIFY_SOCKET`.
    init(_ name: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var bytes = Array(name.utf8)
        let isAbstract = name.hasPrefix("@")
        if isAbstract { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(result == 0)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Waits for a message.
    func next() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        try #require(count > 0)
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    /// Waits for a message that is not about the watchdog.
    func nextChange() throws -> String {
        while true {
            let message = try next()
            if message != "WATCHDOG=1" { return message }
        }
    }
}

@Suite("The service manager is notified of the state of the service", .timeLimit(.minutes(5)))
struct ServiceManagerTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("Messages arrive at a path and at an abstract name", arguments: [true, false])
    func addresses(isAbstract: Bool) async throws {
        try await withScratch { scratch in
            let name = isAbstract ? "@tintype-\(UInt64.random(in: 0 ... .max))" : "\(scratch.path)/notify"
            let socket = try ManagerSocket(name)
            let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": name]))
            manager.tell(.ready("accepting requests"))
            #expect(try socket.next() == "READY=1\nSTATUS=accepting requests")
            manager.tell(.reloading)
            #expect(try socket.next().wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]*\nSTATUS=.*/) != nil)
            manager.tell(.stopping)
            #expect(try socket.next().hasPrefix("STOPPING=1\n"))
            manager.tell(.alive)
            #expect(try socket.next() == "WATCHDOG=1")
        }
    }

    @Test("A manager that does not exist, or has ended, is not waited for")
    func missing() async throws {
        for name in ["", "@", "relative", "vsock:2:1", "/" + String(repeating: "x", count: 200)] {
            #expect(ServiceManager(environment: ["NOTIFY_SOCKET": name]) == nil, "\(name)")
        }
        #expect(ServiceManager(environment: [:]) == nil)
        try await withScratch { scratch in
            let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": "\(scratch.path)/nobody"]))
            manager.tell(.alive)
        }
    }

    @Test(
        "The interval is half of the manager's, if it is meant for this process",
        arguments: [
            ("30000000", "7", .seconds(15)), ("30000000", nil, .seconds(15)), ("30000000", "8", nil), ("0", "7", nil),
            ("-1", nil, nil), ("x", nil, nil), (nil, nil, nil),
        ] as [(String?, String?, Duration?)])
    func interval(microseconds: String?, processID: String?, expected: Duration?) {
        var environment = ["NOTIFY_SOCKET": "/run/notify"]
        environment["WATCHDOG_USEC"] = microseconds
        environment["WATCHDOG_PID"] = processID
        #expect(ServiceManager(environment: environment, processID: 7)?.interval == expected)
    }

    /// Runs a report beside a body that receives its messages.
    private func withReport(
        check: @escaping @Sendable () async throws -> Void,
        _ body: @Sendable (ManagerReport, ManagerSocket) async throws -> Void
    ) async throws {
        try await withScratch { scratch in
            let name = "\(scratch.path)/notify"
            let socket = try ManagerSocket(name)
            let manager = ServiceManager(environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "2000"])
            let report = ManagerReport(to: try #require(manager), listeners: 2, check: check, logger: logger)
            let group = ServiceGroup(configuration: .init(services: [report], logger: logger))
            try await withServices(group) { try await body(report, socket) }
            #expect(try socket.nextChange().hasPrefix("STOPPING=1\n"))
        }
    }

    @Test("It is notified once all addresses accept requests, while the tree answers, and at the end")
    func life() async throws {
        try await withReport(check: {}) { report, socket in
            var messages = [try socket.next()]
            report.listening()
            report.listening()
            messages.append(try socket.nextChange())
            messages.append(try socket.next())
            #expect(messages == ["WATCHDOG=1", "READY=1\nSTATUS=accepting requests", "WATCHDOG=1"])
        }
    }

    @Test("It is not notified that the service works while the tree does not answer")
    func silence() async throws {
        let (checks, continuation) = AsyncStream.makeStream(of: Void.self)
        try await withReport(check: {
            continuation.yield()
            throw CancellationError()
        }) { report, socket in
            for await _ in checks.prefix(3) {}
            report.listening()
            report.listening()
            let message = try socket.next()
            #expect(message == "READY=1\nSTATUS=accepting requests")
        }
    }
}
