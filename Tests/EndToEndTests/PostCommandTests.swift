import Client
import DaemonSupport
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tintype post", .timeLimit(.minutes(20)))
struct PostCommandTests {
    private struct Page: Decodable {
        struct Post: Decodable { let postId: String }
        struct Skipped: Decodable {
            let path: String
            let reason: String
        }
        let posts: [Post]
        let hasMore: Bool
        let next: String?
        let skipped: [Skipped]?
    }

    private static func page(_ json: String) throws -> Page {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Page.self, from: Data(json.utf8))
    }

    @Test("Malformed posts are named, the others listed, and the exit code is 0")
    func badRecords() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            let good = try await daemon.upload(try Fixture.bytes("size-24x16.jpg"), by: "maria")
            let junk = #"""
                {"zz1":"junk","zz2":{"text":"no time"},"zz3":{"timestamp":"junk","author":{"uid":"a"}},
                "zz4":{"timestamp":8.64e15,"author":{"uid":"far"},"text":"a\u001b[2Jb\nc"}}
                """#
            #expect(try await daemon.client.ask(.patch, "/posts.json", body: .bytes(Array(junk.utf8))).status == 200)
            let list = try await run(["post"] + storage)
            let lines = list.output.split(separator: "\n")
            #expect(list.status == 0 && lines.count == 2, "\(list)")
            #expect(lines.first?.hasPrefix("zz4") == true && lines.last?.hasPrefix(good) == true, "\(list)")
            #expect(!list.output.contains("\u{1B}"), "no text controls another user's terminal")
            for name in ["zz1", "zz2", "zz3"] {
                #expect(list.errors.contains("posts/\(name) is not a valid post"), "\(list)")
            }
            let json = try await run(["post", "--json"] + storage)
            let page = try Self.page(json.output)
            #expect(page.posts.map(\.postId) == ["zz4", good] && page.skipped?.count == 3)
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("Columns are aligned, with names of wide characters too, and only a terminal has its lines cut")
    func columns() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            let text = String(repeating: "word ", count: 40) + "end"
            let posts = #"""
                {"-P1":{"timestamp":1,"author":{"uid":"mei","full_name":"梅田"},"text":"\#(text)"},
                "-P2":{"timestamp":2,"author":{"uid":"jan","full_name":"Jana"},"text":"\#(text)"}}
                """#
            #expect(try await daemon.client.ask(.patch, "/posts.json", body: .bytes(Array(posts.utf8))).status == 200)
            let list = try await run(["post"] + storage)
            let lines = list.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix("  \(text)") }, "\(list)")
            #expect(lines.first?.contains("jan     Jana  word") == true, "\(list)")
            #expect(
                lines.last?.contains("mei     梅田  word") == true, "each of these characters has two columns: \(list)")

            let terminal = try PseudoTerminal(columns: 72)
            let child = try Child(
                ["post"] + storage, output: terminal.path, errors: scratch.path + "/errors")
            try await child.wait()
            let shown = terminal.readToEnd().split(whereSeparator: \.isNewline)
            #expect(child.exitCode == 0 && shown.count == 2, "\(shown)")
            #expect(shown.allSatisfy { $0.hasSuffix("…") && $0.contains("word") && $0.count <= 72 }, "\(shown)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("Lists longer than a page of the service: --limit, --all and --before")
    func manyPosts() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            let ids = (0..<450).map { "-P\(String($0 + 1000).dropFirst())" }
            let posts = ids.map { #""\#($0)":{"timestamp":1,"author":{"uid":"a"},"text":"t"}"# }.joined(separator: ",")
            #expect(
                try await daemon.client.ask(.patch, "/posts.json", body: .bytes(Array("{\(posts)}".utf8))).status == 200
            )
            let cases: [(arguments: [String], ids: ArraySlice<String>, hasMore: Bool)] = [
                ([], ids.suffix(20), true), (["--limit", "200"], ids.suffix(200), true),
                (["--limit", "401"], ids.suffix(401), true), (["--limit", "450"], ids[...], false),
                (["--limit", "9999"], ids[...], false), (["--all"], ids[...], false),
                (["--before", ids[10], "--limit", "3"], ids[7..<10], true),
                (["--before", ids[1]], ids[..<1], false),
            ]
            for item in cases {
                let expected = Array(item.ids.reversed())
                let json = try await run(["post", "--json"] + item.arguments + storage)
                let page = try Self.page(json.output)
                #expect(page.posts.map(\.postId) == expected, "\(item.arguments)")
                #expect(page.hasMore == item.hasMore && (page.next != nil) == item.hasMore)
                let text = try await run(["post"] + item.arguments + storage)
                #expect(text.output.split(separator: "\n").map { String($0.prefix(5)) } == expected)
                #expect(text.errors.contains("--before") == item.hasMore, "\(text.errors)")
            }
            #expect(try await run(["post", "--limit", "0"] + storage).status == 2)
            #expect(try await daemon.stop() == 0)
        }
    }
}
