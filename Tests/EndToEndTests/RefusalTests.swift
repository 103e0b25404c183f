import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Reports of commands about a refused item among several", .timeLimit(.minutes(20)))
struct RefusalTests {
    private static let missing = "-OaBcDeFgHiJkLmNoPqR"

    /// A command that accepts several items.
    private struct Case {
        let command: [String]
        var options: [String] = []
        /// The item that it accepts.
        let good: String
        var bad = "nobody"
        /// The fields that name the refused item.
        let names: [String: String]
        /// Whether the command needs the service.
        var needsService = true
    }

    /// Creates an item of each kind.
    private func cases(_ daemon: Daemon, _ storage: [String]) async throws -> [Case] {
        func tintype(_ arguments: String...) async throws -> String {
            let result = try await run(arguments + storage)
            #expect(result.status == 0, "\(arguments): \(result)")
            return result.output.trimmingCharacters(in: .newlines)
        }
        for uid in ["ann", "bob", "cat"] { _ = try await tintype("person", "set", uid, "--name", uid) }
        _ = try await tintype("user", "add", "dan@example.com", "--uid", "dan", "--generate-password")
        let answer = try await daemon.client.ask(.post, "/v1/uploads?user=ann&text=hello")
        let post = try #require(answer.json["post_id"].string)
        let announced = try await tintype("announcement", "add", "Hello", "--json")
        let announcement = try #require(try JSONDecoder().decode(JSON.self, from: Data(announced.utf8))["id"].string)
        let delivery = try #require(
            try await tintype("outbox", "ls", "--waiting").split(separator: " ").first.map(String.init))
        let nobody = ["uid": "nobody"]
        return [
            Case(command: ["person", "show"], good: "ann", names: nobody),
            Case(command: ["person", "rm"], options: ["--yes"], good: "cat", names: nobody),
            Case(command: ["user", "show"], good: "dan", names: nobody),
            Case(command: ["user", "disable"], good: "dan", names: nobody),
            Case(command: ["user", "rm"], options: ["--yes"], good: "dan", names: nobody),
            Case(command: ["outbox", "retry"], good: delivery, bad: "none", names: ["id": "none"]),
            Case(command: ["announcement", "rm"], good: announcement, bad: "none", names: ["id": "none"]),
            Case(
                command: ["post", "rm"], options: ["--yes"], good: post, bad: Self.missing,
                names: ["post_id": Self.missing], needsService: false),
        ]
    }

    @Test(
        "39: A refusal is a document at its position, the rest is done; the exit code is 1, 3, or 75 without a service"
    )
    func refusals() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(
                storage: scratch.path + "/Storage", arguments: ["--notification-command", "/bin/false"])
            let storage = ["--storage", daemon.storage]
            let cases = try await cases(daemon, storage)
            for one in cases {
                let end = one.options + storage
                let words = try await run(one.command + [one.bad] + end)
                #expect(words.status == 1 && words.output.isEmpty, "\(one.command): \(words)")
                #expect(words.errors.contains("tintype: \(one.bad): "), "\(one.command): \(words)")
                let both = try await run(one.command + [one.bad, one.good, "--json"] + end)
                #expect(both.status == 3, "\(one.command): \(both)")
                let lines = try both.output.split(separator: "\n").map {
                    try JSONDecoder().decode([String: JSON].self, from: Data($0.utf8))
                }
                #expect(lines.count == 2 && lines.last?["code"] == nil, "\(one.command): \(both)")
                let refusal = try #require(lines.first)
                #expect(refusal["outcome"]?.string == "failed" && refusal["message"]?.string?.isEmpty == false)
                let names = refusal.filter { !["outcome", "code", "message", "hint"].contains($0.key) }
                #expect(names.mapValues { $0.string ?? "" } == one.names, "\(one.command): \(both)")
            }
            #expect(try await daemon.stop() == 0)
            for one in cases where one.needsService {
                let result = try await run(one.command + [one.bad, one.good, "--json"] + one.options + storage)
                #expect(result.status == 75 && result.output.isEmpty, "\(one.command): \(result)")
            }
        }
    }
}
