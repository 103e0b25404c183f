package import Foundation

/// A running service with a folder of its own: the built binary, as an app meets it, over TCP.
package final class ServiceProcess: Sendable {
    /// The address of the service, which stays the same over restarts.
    package let address: URL
    private let folder: URL
    private let port: Int
    private let arguments: [String]
    private let state: ServiceChild

    /// Starts a service in an empty folder, waits until it answers, and ends it when the body has returned.
    ///
    /// - Parameters:
    ///   - arguments: The flags of `tintype serve` besides those for its folder and its address.
    package static func run<Result>(
        _ arguments: [String] = [], _ body: (ServiceProcess) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tt-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let service = try await ServiceProcess(folder: folder, arguments)
        do {
            let result = try await body(service)
            await service.stop()
            return result
        } catch {
            await service.stop()
            throw error
        }
    }

    private init(folder: URL, _ arguments: [String]) async throws {
        (self.folder, self.arguments) = (folder, arguments)
        let child = ServiceChild()
        state = child
        port = try await child.start(
            Self.serve(in: folder, port: 0) + arguments, log: folder.appendingPathComponent("log"))
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw ServiceProcessError("no address") }
        address = url
    }

    private static func serve(in folder: URL, port: Int) -> [String] {
        [
            "serve", "--storage", folder.appendingPathComponent("Storage").path, "--listen", "127.0.0.1:\(port)",
            "--log-level", "notice", "--sign-up", "email",
        ]
    }

    /// The log so far.
    package var log: String { (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? "" }

    /// Ends the service as `systemctl stop` does.
    package func stop() async { await state.end(SIGTERM) }

    /// Ends the service as a power cut does: no handler runs.
    package func kill() async { await state.end(SIGKILL) }

    /// Starts the service again at the same address, with the same folder.
    package func start() async throws {
        _ = try await state.start(
            Self.serve(in: folder, port: port) + arguments, log: folder.appendingPathComponent("log"))
    }

    /// Runs a command of the binary for this service, such as `["user", "ls"]`, and returns its standard output.
    ///
    /// - Throws: `ServiceProcessError` with the command's message if it fails.
    @discardableResult
    package func command(_ arguments: [String]) async throws -> String {
        let name = "command-\(UUID().uuidString)"
        let (output, errors) = (
            folder.appendingPathComponent(name + ".out"), folder.appendingPathComponent(name + ".err")
        )
        let storage = folder.appendingPathComponent("Storage").path
        let child = try Child(arguments + ["--storage", storage], output: output.path, errors: errors.path)
        guard try await child.wait() == 0 else {
            throw ServiceProcessError(try String(contentsOf: errors, encoding: .utf8))
        }
        return try String(contentsOf: output, encoding: .utf8)
    }

    /// Replaces the security rules.
    package func setRules(_ rules: String) async throws {
        let file = folder.appendingPathComponent("rules.json")
        try Data(rules.utf8).write(to: file)
        try await command(["rules", "set", file.path])
    }

    /// Creates an account with the address `UID@example.org` and the password `PasswordOf UID`.
    package func addUser(_ uid: String) async throws {
        let file = folder.appendingPathComponent("password-\(uid)")
        try Data(Self.password(of: uid).utf8).write(to: file)
        try await command([
            "user", "add", "\(uid)@example.org", "--uid", uid, "--name", uid.capitalized, "--password-file", file.path,
        ])
    }

    /// The password of an account that `addUser` has created.
    package static func password(of uid: String) -> String { "PasswordOf \(uid)" }
}

/// A mistake while the service is started or a command runs.
package struct ServiceProcessError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
