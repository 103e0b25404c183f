import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tintype like, unlike, likes, comment, comments", .timeLimit(.minutes(30)))
struct LikeCommandTests {
    private static let missing = "-OaBcDeFgHiJkLmNoPqR"

    private static func json(_ line: String) throws -> JSON {
        try JSONDecoder().decode(JSON.self, from: Data(line.utf8))
    }

    private func withDaemon(_ body: (Daemon, [String], String) async throws -> Void) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let answer = try await daemon.client.ask(.post, "/v1/uploads?user=anna&text=hello")
            let id = try #require(answer.json["post_id"].string)
            try await body(daemon, ["--storage", daemon.storage], id)
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("39: Likes come and go, and are listed")
    func likes() async throws {
        try await withDaemon { daemon, storage, id in
            for uid in ["bob", "maria", "maria"] {
                let like = try await run(["like", id, "--as", uid] + storage)
                #expect(like.status == 0 && like.output.hasPrefix("liked  \(id)"), "\(like)")
            }
            _ = try await daemon.client.ask(
                .put, "/people/bob/full_name.json", body: .bytes(Array(#""B\u001bob""#.utf8)))
            let list = try await run(["likes", id] + storage)
            let lines = list.output.split(separator: "\n")
            #expect(lines.count == 2 && lines.last?.hasSuffix("maria") == true, "\(list)")
            #expect(!list.output.contains("\u{1B}"), "nobody draws on another's terminal")
            let first = try await run(["likes", id, "--limit", "1", "--json"] + storage)
            #expect(try Self.json(first.output)["uid"].string == "bob", "\(first)")
            let partly = try await run(["unlike", id, Self.missing, "--as", "maria", "--json"] + storage)
            let documents = try partly.output.split(separator: "\n").map { try Self.json(String($0)) }
            #expect(partly.status == 3 && documents.count == 2, "\(partly)")
            #expect(documents.first?["liked"].bool == false && documents.first?["likes"].int == 1)
            #expect(documents.last?["outcome"].string == "failed" && documents.last?["code"].string == "not_found")
            #expect(try await run(["like", Self.missing, "--as", "maria"] + storage).status == 1)
            for wrong in [
                ["like", id], ["like", "-OaBcDeFghiJkLmNoPqR"], ["like", "x", "--as", "maria"],
                ["like", id, "--as", "a b"], ["likes"],
            ] {
                #expect(try await run(wrong + storage).status == 2, "\(wrong)")
            }
        }
    }

    @Test("39: Comments are written, listed, changed and deleted")
    func comments() async throws {
        try await withDaemon { daemon, storage, id in
            let added = try await run(["comment", id, "Hello @Anna", "--mention", "anna:6:5", "--as", "bob"] + storage)
            let key = added.output.trimmingCharacters(in: .newlines)
            #expect(added.status == 0 && key.hasPrefix("-"), "\(added)")
            let json = try await run(["comment", id, "- and\nmore\u{1F600}", "--as", "anna", "--json"] + storage)
            let other = try #require(try Self.json(json.output)["comment_id"].string)
            let list = try await run(["comments", "ls", id] + storage)
            #expect(list.output.split(separator: "\n").map { String($0.prefix(20)) } == [key, other], "\(list)")
            #expect(list.output.contains("bob  Hello @Anna\n") && list.output.contains("anna  - and more"))
            let newest = try await run(["comments", "ls", id, "--newest-first", "--limit", "1", "--json"] + storage)
            #expect(try Self.json(newest.output)["comment_id"].string == other, "\(newest)")
            let edited = try await run(["comments", "edit", id, key, "Bye", "--as", "bob"] + storage)
            #expect(edited.status == 0 && edited.output == "edited  \(key)\n", "\(edited)")
            let stranger = try await run(["comments", "edit", id, key, "Bye", "--as", "maria"] + storage)
            #expect(stranger.status == 1 && stranger.errors.contains("somebody else"), "\(stranger)")
            let partly = try await run(["comments", "rm", id, key, "nothing"] + storage)
            #expect(partly.status == 3 && partly.output == "deleted  \(key)\n", "\(partly)")
            #expect(try await run(["comments", "rm", id, other] + storage).status == 0)
            #expect(try await run(["comments", "ls", id] + storage).output.isEmpty)
            for wrong in [
                ["comment", id, "--as", "bob"], ["comment", id, "a", "b", "--as", "bob"], ["comment", id, "a"],
                ["comment", id, "a", "--as", "bob", "--mention", "anna"], ["comments", "rm", id],
            ] {
                #expect(try await run(wrong + storage).status == 2, "\(wrong)")
            }
            let bad = try await run(["comment", id, "a", "--as", "bob", "--mention", "anna:0:5"] + storage)
            #expect(bad.status == 1 && bad.errors.contains("mentions/0 lies outside"), "\(bad)")
        }
    }

    @Test("Without a service they say so")
    func noService() async throws {
        try await withScratch { scratch in
            let storage = ["--storage", scratch.path + "/Storage"]
            for arguments in [
                ["like", Self.missing, "--as", "bob"], ["likes", Self.missing],
                ["comment", Self.missing, "x", "--as", "bob"], ["comments", "ls", Self.missing],
                ["comments", "rm", Self.missing, "c"],
            ] {
                let result = try await run(arguments + storage)
                #expect(result.status != 0 && result.errors.contains("tintype serve"), "\(result)")
            }
        }
    }
}
