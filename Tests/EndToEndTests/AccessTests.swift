import Foundation
import TestSupport
import Testing

@Suite("Access to the database over TCP, from an operator's view", .timeLimit(.minutes(20)))
struct AccessTests {
    private static let secret = "0123456789abcdef\n"

    /// Writes a secret with a mode; returns its path.
    private func secret(mode: Int, in scratch: Scratch) throws -> String {
        try scratch.write(Self.secret, to: "secret")
        let path = scratch.path + "/secret"
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test("A secret that others can write is refused, with the remedy", arguments: [0o666, 0o602, 0o622])
    func writableSecret(mode: Int) async throws {
        try await withScratch { scratch in
            let path = try secret(mode: mode, in: scratch)
            let result = try await run(
                ["serve", "--storage", scratch.path + "/Storage", "--listen", "127.0.0.1:0", "--database-secret", path])
            #expect(result.status == 2, "\(result)")
            #expect(result.errors.contains("chmod 600 \(path)"), "\(result)")
        }
    }

    @Test(
        "A secret that others can read is accepted, with a warning",
        arguments: [(0o644, true), (0o604, true), (0o600, false), (0o640, false), (0o400, false)])
    func readableSecret(mode: Int, warns: Bool) async throws {
        try await withScratch { scratch in
            let path = try secret(mode: mode, in: scratch)
            let daemon = try await Daemon(
                storage: scratch.path + "/Storage",
                arguments: ["--listen", "127.0.0.1:0", "--database-secret", path])
            #expect(try await daemon.stop() == 0)
            let log = try text(daemon.storage + ".log")
            #expect(log.contains("chmod 600 \(path)") == warns, "\(log)")
            #expect(!log.contains("0123456789abcdef"))
        }
    }

    @Test("An emulator warns of its open tree, unless it stores nothing", arguments: [false, true])
    func emulator(isInMemory: Bool) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(
                storage: scratch.path + "/Storage",
                arguments: ["--listen", "127.0.0.1:0", "--emulator"] + (isInMemory ? ["--engine", "memory"] : []))
            #expect(try await daemon.stop() == 0)
            let log = try text(daemon.storage + ".log")
            #expect(log.contains("every web page") == !isInMemory, "\(log)")
            #expect(isInMemory || log.contains(daemon.storage), "\(log)")
        }
    }
}
