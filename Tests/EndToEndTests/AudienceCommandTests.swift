import Foundation
import TestSupport
import Testing

@Suite("tintype audience", .timeLimit(.minutes(10)))
struct AudienceCommandTests {
    private typealias Outcome = (status: Int32, output: String, errors: String)

    private func json(_ line: some StringProtocol) throws -> JSON {
        try JSONDecoder().decode(JSON.self, from: Data(line.utf8))
    }

    @Test("An audience is created, gets other members and another name, is listed, shown and deleted")
    func life() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: "\(scratch.path)/Storage")
            func tintype(_ arguments: String..., typing: String? = nil) async throws -> Outcome {
                try await run(arguments + ["--storage", daemon.storage], terminalInput: typing)
            }
            let none = try await tintype("audience", "ls")
            #expect(none.status == 0 && none.output.isEmpty && none.errors.contains("no audiences"), "\(none)")
            for (uid, name) in [("maria", "Maria Lind"), ("jan", "Jan")] {
                #expect(try await tintype("person", "set", uid, "--name", name).status == 0)
            }
            let account = try await tintype(
                "user", "add", "ann@example.com", "--uid", "a1", "--name", "Ann Lee", "--generate-password")
            #expect(account.status == 0, "\(account)")

            let made = try await tintype(
                "audience", "set", "7b", "--name", "Class 7b", "--kind", "class", "--owner", "maria lind", "--reader",
                "ANN@example.com")
            #expect(made.status == 0 && made.output == "7b  class  Class 7b  2 members\n", "\(made)")
            let changed = try await tintype(
                "audience", "set", "7b", "--name", "7b", "--owner", "Ann Lee", "--poster", "jan", "--without", "maria",
                "--json")
            let document = try json(changed.output)
            #expect(document["name"].string == "7b" && document["kind"].string == "class", "\(changed)")
            #expect(document["members"]["a1"].string == "owner" && document["members"]["jan"].string == "poster")
            #expect(document["members"]["maria"] == .null, "\(changed)")

            let list = try await tintype("audience", "ls")
            #expect(list.output == "7b  class  7b\n" && list.errors == "id  kind   name\n", "\(list)")
            let shown = try await tintype("audience", "show", "7b", "8c")
            #expect(shown.status == 3 && shown.output.hasPrefix("7b  class  7b  2 members\nowner   a1 "), "\(shown)")
            #expect(shown.output.hasSuffix("poster  jan  Jan\n"), "\(shown)")

            let post = try await tintype("upload", "--user", "jan", "--text", "hello", "--audience", "7b", "--json")
            let id = try #require(try json(post.output)["post_id"].string)
            let unasked = try await tintype("audience", "rm", "7b")
            #expect(unasked.status == 2 && unasked.errors.contains("--yes"), "\(unasked)")
            let kept = try await tintype("audience", "rm", "7b", typing: "n\n")
            #expect(kept.status == 1 && kept.errors.contains("7b  class  7b  2 members"), "\(kept)")
            let gone = try await tintype("audience", "rm", "--yes", "7b", "8c", "--json")
            let lines = try gone.output.split(separator: "\n").map { try json($0) }
            #expect(gone.status == 3 && lines.first?["deleted"].bool == true, "\(gone)")
            #expect(lines.last?["code"].string == "not_found" && lines.last?["id"].string == "8c", "\(gone)")
            try await eventually { try await daemon.get("/v1/posts/\(id)").status == 404 }
            try await daemon.stop()
        }
    }

    @Test("An impossible change is refused, and nothing is changed")
    func refused() async throws {
        try await withScratch { scratch in
            let storage = ["--storage", "\(scratch.path)/Storage"]
            #expect(try await run(["audience", "ls"] + storage).status == 75)
            let daemon = try await Daemon(storage: storage[1])
            #expect(try await run(["person", "set", "maria", "--name", "Maria"] + storage).status == 0)
            #expect(try await run(["audience", "set", "7b", "--name", "7b", "--owner", "maria"] + storage).status == 0)
            let cases: [(arguments: [String], status: Int32, words: String)] = [
                (["set", "8c"], 2, "nothing to change"), (["set", "8c", "--name", "8c"], 1, "no audience \"8c\""),
                (["set", "8c", "--reader", "maria"], 1, "Give --name and --owner"),
                (["set", "Men's eight", "--owner", "maria"], 2, "is not an id"),
                (["set", "7b", "--kind", "club"], 2, "kind"), (["set", "7b", "--without", "maria"], 1, "owner"),
                (["set", "7b", "--owner", "maria", "--reader", "Maria"], 2, "more than once"),
                (["set", "7b", "--reader", "m@example.com"], 1, "no person or account \"m@example.com\""),
                (["set", "7b", "--name", String(repeating: "x", count: 10_000)], 1, "1 to 199 characters"),
                (["show", "8c"], 1, "List all with tintype audience ls"), (["rm", "--yes", "8c"], 1, "8c"),
                (["show"], 2, "id"), (["members", "7b"], 2, "did you mean \"audience show\""),
            ]
            for row in cases {
                let told = try await run(["audience"] + row.arguments + storage)
                #expect(told.status == row.status && told.errors.contains(row.words), "\(row.arguments): \(told)")
            }
            let others = [
                ["invite", "add", "--audience", "nope"],
                ["upload", "--user", "maria", "--text", "x", "--audience", "nope"],
                ["person", "show", "Nobody"],
            ]
            for arguments in others {
                let told = try await run(arguments + storage)
                #expect(told.status != 0 && told.errors.contains("tintype "), "\(told)")
                #expect(!told.errors.contains("/v1/"), "\(told)")
            }
            #expect(try await run(["audience", "ls"] + storage).output == "7b  group  7b\n")
            try await daemon.stop()
        }
    }
}
