import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tintype person: people, from the command line", .timeLimit(.minutes(20)))
struct PersonCommandTests {
    private func withDaemon(
        _ body: @Sendable (_ tintype: @Sendable ([String]) async throws -> Run, _ daemon: Daemon) async throws -> Void
    ) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = daemon.storage
            try await body({ try await run($0 + ["--storage", storage]) }, daemon)
            try await daemon.stop()
        }
    }

    private typealias Run = (status: Int32, output: String, errors: String)

    private func json(_ output: String) throws -> [JSON] {
        try output.split(separator: "\n").map { try JSONDecoder().decode(JSON.self, from: Data($0.utf8)) }
    }

    @Test("39: A person is created, changed, shown, listed and found")
    func life() async throws {
        try await withDaemon { tintype, _ in
            let made = try await tintype(["person", "set", "maria", "--name", "María Lind", "--role", "speaker"])
            #expect(made.status == 0 && made.output == "maria  María Lind\n", "\(made)")
            let changed = try await tintype(["person", "set", "maria", "--role", "", "--bio", "Hi.", "--json"])
            #expect(changed.status == 0, "\(changed)")
            let document = try #require(try json(changed.output).first)
            #expect(document["bio"].string == "Hi." && document["role"] == .null, "\(changed)")
            _ = try await tintype(["person", "set", "-jan", "--name", "Jan"])
            let shown = try await tintype(["person", "show", "maria", "zoe", "--json"])
            #expect(shown.status == 3, "\(shown)")
            let lines = try json(shown.output)
            #expect(lines.first?["counts"]["posts"].int == 0 && lines.last?["code"].string == "not_found", "\(shown)")
            let read = try await tintype(["person", "show", "maria"])
            #expect(read.output.contains("name       María Lind\n") && !read.output.contains("role"), "\(read)")
            let all = try await tintype(["person", "ls"])
            #expect(all.output == "-jan   Jan\nmaria  María Lind\n" && all.errors == "id     name\n", "\(all)")
            #expect(try await tintype(["person", "ls", "--limit", "1"]).output == "-jan  Jan\n")
            #expect(try await tintype(["person", "search", "LIND", "m"]).output == "maria  María Lind\n")
            let none = try await tintype(["person", "search", "x"])
            #expect(none.status == 0 && none.output.isEmpty && none.errors.contains("begins with \"x\""), "\(none)")
            for wrong in [
                ["person", "set", "maria"], ["person", "set", "a", "b", "--name", "x"], ["person", "show", "--no"],
                ["person", "ls", "--limit", "0"], ["person", "nonsense"], ["person", "list"],
            ] {
                #expect(try await tintype(wrong).status == 2, "\(wrong)")
            }
            let nameless = try await tintype(["person", "set", "maria", "--name", ""])
            #expect(nameless.status == 1 && nameless.errors.contains("full_name"), "\(nameless)")
        }
    }

    @Test("39: rm requires a confirmation, waits for the complete deletion, and prints the receipt")
    func remove() async throws {
        try await withDaemon { tintype, daemon in
            let photo = try Fixture.bytes("baseline-420.jpg")
            for _ in 0..<2 { _ = try await daemon.upload(photo, by: "maria") }
            let unasked = try await tintype(["person", "rm", "maria"])
            #expect(unasked.status == 2 && unasked.errors.contains("--yes"), "\(unasked)")
            #expect(unasked.errors.contains("maria  maria  posts 2"), "it shows the person: \(unasked)")
            let kept = try await run(["person", "rm", "maria", "--storage", daemon.storage], terminalInput: "n\n")
            #expect(kept.status == 1, "\(kept)")
            let gone = try await tintype(["person", "rm", "--yes", "maria", "zoe", "--json"])
            #expect(gone.status == 3, "\(gone)")
            let lines = try json(gone.output)
            #expect(lines.first?["removed"]["posts"].int == 2 && lines.first?["ended"].int != nil, "\(gone)")
            #expect(lines.last?["code"].string == "not_found", "\(gone)")
            #expect(try await tintype(["person", "show", "maria"]).status == 1)
            #expect(try await tintype(["post", "--json"]).output.contains(#""posts":[]"#))
        }
    }

    @Test(
        "FriendlyPix 12: A deletion that a kill interrupts continues at the next start, and the receipt is exact"
    )
    func killed() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage)
            _ = try await run(["person", "set", "maria", "--name", "Maria", "--storage", storage])
            let followers = (0..<3000).map { #""u\#($0)":true"# }.joined(separator: ",")
            let written = try await daemon.client.ask(
                .put, "/followers/maria.json", body: .bytes(Array("{\(followers)}".utf8)))
            #expect(written.status == 200)
            let begun = try await daemon.client.ask(.delete, "/v1/people/maria")
            #expect(begun.status == 202, "\(begun.text)")
            try await daemon.killHard()
            let again = try await Daemon(storage: storage)
            try await eventually {
                try await again.client.get("/v1/people/maria/deletion").json["ended"].int != nil
            }
            let receipt = try await again.client.get("/v1/people/maria/deletion").json
            #expect(receipt["removed"]["followers"].int == 3000, "\(receipt)")
            for path in ["followers", "people", "stats"] {
                #expect(try await again.client.get("/\(path).json").text == "null", "\(path)")
            }
            try await again.stop()
        }
    }

    @Test("39: Without a service the commands report that, and may succeed later")
    func withoutService() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage)
            try await daemon.stop()
            for command in [
                ["person", "show", "maria"], ["person", "set", "maria", "--name", "M"], ["person", "ls"],
                ["person", "search", "m"], ["person", "rm", "maria", "--yes"],
            ] {
                let answer = try await run(command + ["--storage", storage])
                #expect(answer.status == 75 && answer.output.isEmpty, "\(command): \(answer)")
            }
        }
    }
}
