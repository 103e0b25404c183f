import Client
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
    private let process: Process

    /// Starts `tintype serve` and waits until it answers.
    init(storage: String, arguments: [String] = []) async throws {
        self.storage = storage
        client = ServiceClient(.socket(path: storage + "/tintype.sock"))
        process = Process()
        process.executableURL = Self.binary
        process.arguments =
            ["serve", "--storage", storage, "--inbox-quiet", "1s", "--log-level", "warning"] + arguments
        let log = storage + ".log"
        if !FileManager.default.fileExists(atPath: log) { try Data().write(to: URL(fileURLWithPath: log)) }
        let handle = try #require(FileHandle(forWritingAtPath: log))
        handle.seekToEndOfFile()
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        try await eventually {
            guard self.process.isRunning else { throw DaemonError(try String(contentsOfFile: log, encoding: .utf8)) }
            return (try? await self.get("/healthz")) != nil
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The binary beside the test bundle.
    static var binary: URL {
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let built = own.deletingLastPathComponent().appendingPathComponent("tintype")
        if FileManager.default.isExecutableFile(atPath: built.path) { return built }
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent(".build/debug/tintype")
    }

    var processID: Int32 { process.processIdentifier }

    var isRunning: Bool { process.isRunning }

    /// Ends it as a power cut would: no handler runs.
    func killHard() async {
        kill(process.processIdentifier, SIGKILL)
        await wait()
    }

    /// Ends it as `systemctl stop` would; gives its exit code.
    @discardableResult
    func stop() async -> Int32 {
        kill(process.processIdentifier, SIGTERM)
        await wait()
        return process.terminationStatus
    }

    private func wait() async {
        while process.isRunning { try? await Task.sleep(for: .milliseconds(10)) }
    }

    /// Resident memory in bytes, now.
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

// MARK: - Speaking to it

struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: Data

    func json<Document: Decodable>(_ type: Document.Type) throws -> Document {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: body)
    }
}

extension Daemon {
    func get(_ path: String) async throws -> Answer {
        try await send(.get, path)
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: RequestBody = .none
    ) async throws -> Answer {
        try await client.send(method, path, headers: headers, body: body) { response, body in
            Answer(
                status: response.status.code, headers: response.headerFields,
                body: Data(buffer: try await body.collect(upTo: 64 << 20)))
        }
    }

    /// Sends a photo and waits for its post; gives the post's id.
    func upload(_ bytes: [UInt8], by user: String, key: String? = nil) async throws -> String {
        struct Created: Decodable { let postId: String }
        var headers = HTTPFields()
        if let key, let name = HTTPField.Name("Idempotency-Key") { headers[name] = key }
        let answer = try await send(.post, "/v1/uploads?user=\(user)", headers: headers, body: .bytes(bytes))
        guard answer.status == 201 else {
            throw DaemonError("\(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return try answer.json(Created.self).postId
    }
}

/// Runs a command of the binary to its end.
func run(_ arguments: [String]) async throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    let output = Pipe()
    let errors = Pipe()
    process.executableURL = Daemon.binary
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    async let out = output.fileHandleForReading.readToEndAsync()
    async let err = errors.fileHandleForReading.readToEndAsync()
    let texts = await (out, err)
    while process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
    return (process.terminationStatus, texts.0, texts.1)
}

extension FileHandle {
    fileprivate func readToEndAsync() async -> String {
        await withCheckedContinuation { continuation in
            let handle = self
            Thread.detachNewThread {
                let data = (try? handle.readToEnd()) ?? nil
                continuation.resume(returning: String(decoding: data ?? Data(), as: UTF8.self))
            }
        }
    }
}
