import Foundation
import TestSupport
import Testing

@Suite("tintype audience: audiences and their posts, from the command line", .timeLimit(.minutes(30)))
struct AudienceCommandTests {
    private typealias Run = (status: Int32, output: String, errors: String)

    private func withDaemon(
        _ body: @Sendable (_ tintype: @Sendable ([String]) async throws -> Run) async throws -> Void
    )
        async throws
    {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = daemon.storage
            try await body { try await run($0 + ["--storage", storage]) }
            try await daemon.stop()
        }
    }

    @Test("C1: An audience is made, changed, shown and listed, and posts are for it")
    func life() async throws {
        try await withDaemon { tintype in
            let made = try await tintype([
                "audience", "set", "c", "--name", "7b", "--kind", "class", "--owner", "maria",
            ])
            #expect(made.status == 0 && made.output == "c  class  7b\n", "\(made)")
            let added = try await tintype(["audience", "add", "c", "jan", "-ann"])
            #expect(added.output == "jan is reader of c\n-ann is reader of c\n", "\(added)")
            let promoted = try await tintype(["audience", "add", "c", "jan", "--role", "owner", "--json"])
            #expect(promoted.output == #"{"audience":"c","role":"owner","uid":"jan"}"# + "\n", "\(promoted)")
            let changed = try await tintype(["audience", "set", "c", "--name", "8b", "--owner", "zoe"])
            #expect(changed.output == "c  class  8b\n", "\(changed)")
            let shown = try await tintype(["audience", "show", "c"])
            #expect(
                shown.output == "c  class  8b\n  reader  -ann\n  owner   jan\n  owner   maria\n  owner   zoe\n",
                "\(shown)")
            let mine = try await tintype(["audience", "ls", "--user", "jan"])
            #expect(mine.output == "c  class  8b  owner\n", "\(mine)")
            for files in [
                [], [Fixture.path("rgb-8.png")],
                [Fixture.path("rgb-8.png"), Fixture.path("exif-gps.jpg"), "--one-post"],
            ] {
                let sent = try await tintype(
                    ["upload"] + files + ["--user", "maria", "--audience", "c", "--text", "x"])
                #expect(sent.status == 0, "\(sent)")
            }
            let again = try await tintype(
                ["upload", Fixture.path("rgb-8.png"), "--user", "maria", "--audience", "c", "--text", "x"])
            #expect(again.status == 0, "\(again)")
            let feed = try await tintype(["feed", "--audience", "c"])
            #expect(feed.output.split(separator: "\n").count == 3, "the same photo is not posted twice: \(feed)")
            #expect(try await tintype(["posts"]).output.isEmpty)
            let refused = try await tintype(["upload", "--user", "eve", "--audience", "c", "--text", "x"])
            #expect(refused.status == 1 && refused.errors.contains("eve"), "\(refused)")
            #expect(try await tintype(["audience", "remove", "c", "jan"]).output == "jan is no member of c\n")
            #expect(try await tintype(["audience", "set", "d", "--name", "x"]).status == 1)
            #expect(try await tintype(["audience", "set", "d"]).status == 2)
            #expect(try await tintype(["audience", "add", "c"]).status == 2)
            #expect(try await tintype(["feed", "maria", "--audience", "c"]).status == 2)
            #expect(try await tintype(["audience", "rm", "c", "--yes"]).output == "deleted  c\n")
            #expect(try await tintype(["audience", "rm", "c", "--yes"]).status == 1)
            #expect(try await tintype(["audience", "ls"]).output.isEmpty)
            let used = try await tintype(["audience", "set", "c", "--name", "7b", "--owner", "maria"])
            #expect(used.status == 1 && used.errors.contains("choose another id"), "\(used)")
        }
    }
}
