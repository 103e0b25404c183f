import API
import Access
import Client
import Files
import Foundation
import HTTPTypes
import Imaging
import Inbox
import Keeping
import Logging
import NIOCore
import Requests
import Server
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("The HTTP server: admission of requests, start and shutdown", .timeLimit(.minutes(20)))
struct HTTPServerTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Returns the error of a server that cannot start.
    private func refusal(
        in scratch: Scratch, _ change: (inout HTTPServer.Settings) throws -> Void
    ) async throws -> Failure? {
        let storage = try await StorageFolder.open(path: "\(scratch.path)/Storage")
        let pipeline = Pipeline(storage: storage, settings: PipelineSettings(workers: 1), logger: Self.logger)
        var settings = HTTPServer.Settings(socketPath: StorageFolder.socketPath(in: storage.path))
        try change(&settings)
        let server = HTTPServer(
            pipeline, settings: settings,
            access: AccessControl(AccessControl.Settings(peers: try PeerPolicy()), authority: nil),
            media: MediaAccess(
                try StorageRulesStore(in: storage.tree, project: "tintype"), signer: MediaSigner(keys: try MediaKeys()),
                at: nil),
            logger: Self.logger)
        let error = await #expect(throws: Failure.self) { try await server.run() }
        await storage.close()
        return error
    }

    // MARK: - Start and shutdown

    @Test("The socket is for its user and group alone, and is deleted with the service")
    func socketFile() async throws {
        try await withScratch { scratch in
            let path = "\(scratch.path)/s.sock"
            try await withService(changeServer: { $0.socketPath = path }) { service in
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o660)
                #expect(try await service.client.get("/healthz").json["status"].string == "ok")
            }
            #expect(!scratch.exists("s.sock"))
        }
    }

    /// Binds a socket and closes it, as a killed process does.
    private func leaveSocket(at path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(result == 0)
    }

    @Test("A socket of a dead service is replaced")
    func staleSocket() async throws {
        try await withScratch { scratch in
            let path = "\(scratch.path)/s.sock"
            try leaveSocket(at: path)
            #expect(scratch.exists("s.sock"))
            let status = try await withService(changeServer: { $0.socketPath = path }) { service in
                try await service.client.get("/healthz").status
            }
            #expect(status == 200)
        }
    }

    @Test("A file that is not a socket is not replaced")
    func fileInTheWay() async throws {
        try await withScratch { scratch in
            try scratch.write("mine", to: "precious")
            let error = try await refusal(in: scratch) { $0.socketPath = "\(scratch.path)/precious" }
            #expect(error?.code == .badSocketPath)
            #expect(try scratch.read("precious") == "mine")
        }
    }

    @Test("A path that cannot be a socket's is refused with the reason")
    func longPath() async throws {
        try await withScratch { scratch in
            let error = try await refusal(in: scratch) { $0.socketPath += String(repeating: "x", count: 100) }
            #expect(error?.code == .badSocketPath)
            #expect(error?.message.contains("103") == true)
            #expect(error?.hint.contains("shorter") == true)
        }
    }

    @Test("A port in use is named")
    func portInUse() async throws {
        try await withService { service in
            try await withScratch { scratch in
                let error = try await refusal(in: scratch) {
                    $0.listen = try ListenAddress("127.0.0.1:\(service.tcpPort)")
                }
                #expect(error?.code == .addressInUse)
                #expect(error?.message.contains("\(service.tcpPort)") == true)
                #expect(!scratch.exists("Storage/tintype.sock"), "the socket did not stay")
            }
        }
    }

    @Test("B30: A graceful shutdown answers the requests in progress")
    func gracefulShutdown() async throws {
        let jpeg = try fixture("size-97x61.jpg")
        let status = try await withService { service in
            let (body, continuation) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
            continuation.yield(ByteBuffer(bytes: jpeg.prefix(100)))
            return try await withThrowingTaskGroup { group in
                group.addTask {
                    try await service.client.ask(
                        .post, "/v1/uploads?user=maria", body: .stream(byteCount: jpeg.count, body))
                }
                // The reservation shows that the request has arrived; only then is the service stopped.
                try await service.untilReserved()
                await service.shutDown()
                continuation.yield(ByteBuffer(bytes: jpeg.dropFirst(100)))
                continuation.finish()
                return try await group.next()?.status
            }
        }
        #expect(status == 201)
    }

    // MARK: - Bodies

    @Test(
        "Over TCP only this machine's own names and addresses are accepted as the host",
        arguments: [
            ("localhost", true), ("127.0.0.1", true), ("[::1]", true), ("LOCALHOST", true), ("evil.example", false),
            ("127.0.0.1.evil.example", false), ("localhost.evil.example", false), ("0.0.0.0", false), ("", false),
        ])
    func hosts(host: String, isWelcome: Bool) async throws {
        try await withService { service in
            for suffix in ["", ":\(service.tcpPort)"] {
                let answer = try await WireConnection.with(port: service.tcpPort) { connection in
                    try await connection.send(
                        "GET /healthz HTTP/1.1\r\nHost: \(host)\(suffix)\r\nConnection: close\r\n\r\n")
                    return await connection.readToEnd()
                }
                #expect(answer.hasPrefix(isWelcome ? "HTTP/1.1 200 " : "HTTP/1.1 403 "), "\(answer)")
            }
        }
    }

    @Test(
        "Pages of other sites change nothing",
        arguments: [
            (nil, nil, true), ("same-origin", nil, true), ("none", nil, true), ("cross-site", nil, false),
            ("same-site", nil, false), (nil, "own", true), (nil, "http://evil.example", false), (nil, "null", false),
            (nil, "http://127.0.0.1:1", false), ("same-origin", "http://evil.example", false),
        ] as [(String?, String?, Bool)])
    func sites(site: String?, origin: String?, isWelcome: Bool) async throws {
        try await withService { service in
            var headers = try service.headers(of: "maria")
            headers[.named("sec-fetch-site")] = site
            headers[.origin] = origin == "own" ? "http://127.0.0.1:\(service.tcpPort)" : origin
            let change = try await service.tcpClient.ask(.post, "/v1/uploads?user=maria&text=x", headers: headers)
            #expect(change.status == (isWelcome ? 201 : 403), "\(change.text)")
            #expect(try await service.tcpClient.ask(.get, "/healthz", headers: headers).status == 200)
            #expect(
                try await service.client.ask(.post, "/v1/uploads?user=maria&text=x", headers: headers).status == 201)
        }
    }

    @Test(
        "A page that sends its address but not its origin is judged by its address",
        arguments: [
            ("", true), ("own", true), ("own/", true), ("own/page?x=http://evil.example/#y", true),
            ("http://evil.example/", false), ("http://evil.example", false), ("http://127.0.0.1:1/page", false),
            ("https://own", false), ("rubbish", false), ("about:blank", false), ("//own/", false),
        ])
    func referrers(referrer: String, isWelcome: Bool) async throws {
        try await withService { service in
            let own = "127.0.0.1:\(service.tcpPort)"
            let address =
                referrer.hasPrefix("own")
                ? "http://" + own + referrer.dropFirst(3) : referrer.replacing("own", with: own)
            var headers = try service.headers(of: "maria")
            headers[.referer] = address
            let answer = try await service.tcpClient.ask(.post, "/v1/uploads?user=maria&text=x", headers: headers)
            #expect(answer.status == (isWelcome ? 201 : 403), "\(answer.text)")
            #expect(isWelcome || answer.json["code"].string == "cross_site")
        }
    }

    @Test("Over TCP only admins may start re-thumbnailing")
    func adminOnly() async throws {
        try await withService { service in
            let answer = try await service.tcpClient.ask(.post, "/v1/jobs")
            #expect(answer.status == 403)
            #expect(answer.json["code"].string == "admin_only")
        }
    }
}
