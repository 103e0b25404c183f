import Client
import HTTPTypes
import TestSupport
import Testing

@Suite("tintype post expire and tintype flag", .timeLimit(.minutes(20)))
struct PostExpireTests {
    @Test("39: Posts are counted first, and deleted with --yes; wrong ages are wrong usage")
    func expire() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            let post = #"{"author":{"uid":"ann"},"text":"x","timestamp":1}"#
            for id in ["-OaBcDeFgHiJkLmNoPqR", "-OaBcDeFgHiJkLmNoPqS"] {
                let answer = try await daemon.client.ask(.put, "/posts/\(id).json", body: .bytes(Array(post.utf8)))
                #expect(answer.status == 200)
            }
            for age in ["", "30", "1s", "x"] {
                #expect(
                    try await run(["post", "expire", "--older-than", age, "--yes"] + storage).status == 2, "\(age)")
            }
            let dry = try await run(["post", "expire", "--older-than", "30d", "--dry-run", "--json"] + storage)
            #expect(dry.output == "{\"bytes\":0,\"deleted\":false,\"posts\":2}\n", "\(dry)")
            let done = try await run(["post", "expire", "--older-than", "30d", "--yes"] + storage)
            #expect(done.status == 0 && done.output == "deleted  2 posts  0 bytes\n", "\(done)")
            let again = try await run(["post", "expire", "--older-than", "30d", "--json"] + storage)
            #expect(again.output == "{\"bytes\":0,\"deleted\":true,\"posts\":0}\n", "\(again)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("39: Flagged posts and comments are listed and dismissed")
    func flags() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            let id = "-OaBcDeFgHiJkLmNoPqR"
            let post = #"{"author":{"uid":"ann"},"text":"rude","timestamp":1}"#
            _ = try await daemon.client.ask(.put, "/posts/\(id).json", body: .bytes(Array(post.utf8)))
            #expect(try await run(["flag", "ls"] + storage).errors.contains("there are no flagged posts or comments"))
            #expect(try await daemon.client.ask(.put, "/v1/posts/\(id)/flags/bob").status == 200)
            let list = try await run(["flag", "ls"] + storage)
            let cells = list.output.split(whereSeparator: \.isWhitespace).map(String.init)
            #expect(cells.first == "1" && cells.suffix(5) == [id, "-", "ann", "ann", "rude"], "\(list)")
            #expect(list.errors.hasPrefix("flags  since"), "\(list)")
            #expect(try await run(["flag", "dismiss", id] + storage).output == "dismissed  \(id)\n")
            #expect(try await run(["flag", "ls"] + storage).errors.contains("there are no flagged posts or comments"))
            #expect(try await run(["flag", "dismiss"] + storage).status == 2)
            #expect(try await run(["flag", "dismiss", "-OaBcDeFgHiJkLmNoPqZ"] + storage).status == 1)
            #expect(try await daemon.stop() == 0)
            #expect(try await run(["flag", "ls"] + storage).status == 75)
        }
    }
}
