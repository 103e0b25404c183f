import Client
import DaemonSupport
import Foundation
import HTTPTypes
import NIOCore
import NIOFoundationEssentialsCompat
import TestSupport
import Testing

/// The built binary as a child process, as a user runs it.
final class Daemon: Sendable {
    let storage: String
    let client: ServiceClient
    private let child: Child

    /// Starts `tintype serve` and waits until it answers. Its log is `STORAGE.log`.
    ///
    /// - Parameter environment: Variables in addition to the test's own.
    init(
        storage: String, arguments: [String] = [], environment: [String: String] = [:], descriptors: Int? = nil
    ) async throws {
        self.storage = storage
        client = ServiceClient(.socket(path: storage + "/tintype.sock"))
        let log = storage + ".log"
        let options = [
            "serve", "--storage", storage, "--inbox-quiet", "1s", "--log-level", "warning",
            "--duplicates", "new-post",  // Most tests drop the same photo.
        ]
        child = try Child(
            options + arguments, output: log, errors: log, environment: environment, descriptors: descriptors)
        try await eventually {
            guard self.child.exitCode == nil else { throw DaemonError(try text(log)) }
            return (try? await self.get("/healthz")) != nil
        }
    }

    var processID: Int32 { child.processID }

    /// Waits until it has ended without a signal.
    func untilEnd() async throws { try await child.wait() }

    /// Ends it as a power cut would: no handler runs.
    func killHard() async throws {
        child.send(SIGKILL)
        try await child.wait()
    }

    /// Ends it as `systemctl stop` would; returns its exit code.
    @discardableResult
    func stop() async throws -> Int32 {
        child.send(SIGTERM)
        return try await child.wait()
    }

    /// The current resident memory, in bytes.
    var residentBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0) * 1024
    }
}

struct DaemonError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

// MARK: - Requests

extension Daemon {
    func get(_ path: String) async throws -> Answer { try await client.get(path) }

    /// Sends a photo and waits for its post; returns the post's id.
    func upload(_ bytes: [UInt8], by user: String, key: String? = nil) async throws -> String {
        struct Created: Decodable { let postId: String }
        var headers = HTTPFields()
        if let key, let name = HTTPField.Name("Idempotency-Key") { headers[name] = key }
        let answer = try await client.ask(.post, "/v1/uploads?user=\(user)", headers: headers, body: .bytes(bytes))
        guard answer.status == 201 else {
            throw DaemonError("\(answer.status): \(answer.text)")
        }
        return try answer.json(Created.self).postId
    }
}
