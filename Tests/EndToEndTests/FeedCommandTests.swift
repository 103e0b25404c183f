import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tintype feed", .timeLimit(.minutes(30)))
struct FeedCommandTests {
    private struct Page: Decodable {
        struct Post: Decodable {
            let postId: String
        }
        let posts: [Post]
        let hasMore: Bool
        let complete: Bool?
        let next: String?

        var ids: [String] { posts.map(\.postId) }
    }

    private func page(_ arguments: [String]) async throws -> Page {
        let run = try await run(["feed", "--json"] + arguments)
        #expect(run.status == 0, "\(run)")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Page.self, from: Data(run.output.utf8))
    }

    @Test("39: A home feed and a hashtag's posts, in lines and as JSON, in more pages than one")
    func lists() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            let ids = (0..<250).map { "p\(String($0 + 1000).dropFirst())" }
            let posts = ids.map { #""\#($0)":{"timestamp":1,"author":{"uid":"jan"},"text":"t #sun"}"# }
            let tree = """
                {"posts":{\(posts.joined(separator: ",")),"own":{"timestamp":1,"author":{"uid":"maria"},"text":"own"},
                "foreign":{"timestamp":1,"author":{"uid":"eve"},"text":"x #sun"}},"followers":{"jan":{"maria":true}},
                "likes":{"p249":{"maria":1}}}
                """
            #expect(try await daemon.client.ask(.put, "/.json", body: .bytes(Array(tree.utf8))).status == 200)
            let all = try await page(["maria", "--limit", "999"] + storage)
            #expect(all.ids == ids.reversed() + ["own"] && !all.hasMore && all.complete == true)
            let some = try await page(["maria", "--limit", "3"] + storage)
            #expect(some.ids == Array(all.ids.prefix(3)) && some.hasMore)
            let next = try await page(["maria", "--limit", "3", "--before", some.next ?? ""] + storage)
            #expect(next.ids == Array(all.ids[3..<6]))
            let tag = try await page(["--hashtag", "#Sun", "--limit", "300"] + storage)
            #expect(Set(tag.ids) == Set(ids + ["foreign"]) && tag.complete == nil)
            let lines = try await run(["feed", "maria", "--limit", "2"] + storage)
            #expect(lines.status == 0 && lines.output.contains("p249"), "\(lines)")
            #expect(lines.output.contains("1 like, 0 comments"), "\(lines)")
            #expect(lines.errors.contains("there are more: --before"), "\(lines)")
            let nobody = try await run(["feed", "nobody"] + storage)
            #expect(nobody.status == 0 && nobody.output.isEmpty && nobody.errors.contains("no posts yet"), "\(nobody)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("39: What happens in a home feed is printed as it happens, until the service ends", arguments: [false, true])
    func follows(isJSON: Bool) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let (output, errors) = (scratch.path + "/out", scratch.path + "/err")
            func post(_ id: String, _ json: String) async throws {
                _ = try await daemon.client.ask(.put, "/posts/\(id).json", body: .bytes(Array(json.utf8)))
            }
            func untilPrinted(_ words: String) async throws {
                try await eventually { (try? text(output))?.contains(words) == true }
            }
            let own = #"{"timestamp":1,"author":{"uid":"maria"},"text":"#
            let tree = #"{"maria":{"full_name":"Maria"}}"#
            _ = try await daemon.client.ask(.put, "/people.json", body: .bytes(Array(tree.utf8)))
            try await post("a", own + "\"first\"}")
            let child = try Child(
                ["feed", "maria", "--follow", "--storage", daemon.storage] + (isJSON ? ["--json"] : []),
                output: output, errors: errors)
            try await untilPrinted("first")
            try await post("b", own + "\"second\"}")
            try await untilPrinted("second")
            try await post("a", "null")
            try await untilPrinted(isJSON ? #""event":"deleted""# : "a  deleted")
            #expect(try await daemon.stop() == 0)
            #expect(try await child.wait() == 75)
            #expect(try text(errors).contains("the service has ended the stream"))
        }
    }

    @Test(
        "What is asked wrongly is refused with a word why",
        arguments: [
            ([], 2, "name either a person or"), (["maria", "--hashtag", "sun"], 2, "name either a person or"),
            (["maria", "--limit", "0"], 2, "--limit has to be 1 or more"),
            (["--hashtag", "sun", "--follow"], 2, "--follow is for the newest posts of a home feed"),
            (["maria", "--follow", "--limit", "201"], 2, "--follow is for the newest posts of a home feed"),
            (["maria", "--follow"], 75, "no service is listening"), (["maria"], 75, "no service is listening"),
        ] as [([String], Int32, String)])
    func refusals(arguments: [String], status: Int32, words: String) async throws {
        try await withScratch { scratch in
            let result = try await run(["feed"] + arguments + ["--storage", scratch.path + "/Storage"])
            #expect(result.status == status, "\(result)")
            #expect(result.errors.contains(words), "\(result)")
        }
    }
}
