import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// A service that also listens on TCP.
struct TCPPlace {
    private static let identity = "/identitytoolkit.googleapis.com/v1/accounts"

    let daemon: Daemon
    let port: Int
    let tcp: ServiceClient

    init(_ arguments: [String], in scratch: Scratch) async throws {
        let storage = scratch.path + "/Storage"
        // The log of an earlier service, with another port.
        try? FileManager.default.removeItem(atPath: storage + ".log")
        daemon = try await Daemon(storage: storage, arguments: ["--listen", "127.0.0.1:0"] + arguments)
        try await eventually { try text(storage + ".log").contains("http://127") }
        let log = try text(storage + ".log")
        port = try #require(
            log.firstMatch(of: /listening on http:\/\/127\.0\.0\.1:(\d+)\//).flatMap { Int($0.1) })
        tcp = ServiceClient(.tcp(host: "127.0.0.1", port: port))
    }

    var log: String { get throws { try text(daemon.storage + ".log") } }

    /// Returns the author of a token's post; nil if the token is refused.
    func author(_ token: String) async throws -> String? {
        let answer = try await tcp.ask(.post, "/v1/uploads?text=x", headers: [.authorization: "Bearer \(token)"])
        #expect(answer.status == 201 || answer.json["code"].string == "bad_token", "\(answer.text)")
        return answer.json["post"]["author"]["uid"].string
    }

    /// Performs an operation on accounts.
    func perform(_ operation: String, _ body: String) async throws -> Answer {
        try await tcp.ask(
            .post, "\(Self.identity):\(operation)?key=x", headers: [.contentType: "application/json"],
            body: .bytes(Array(body.utf8)))
    }
}
