import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Settings that change while the service runs: tintype config reload, SIGHUP, rethumb", .timeLimit(.minutes(20)))
struct ReloadCommandTests {
    private struct Status: Decodable { let recipes: [String: String] }
    private struct Review: Decodable {
        struct Setting: Decodable {
            let name: String
            let effect: String
            let by: String?
        }
        let settings: [Setting]
    }

    private func recipes(_ daemon: Daemon) async throws -> Set<String> {
        Set(try await daemon.get("/v1/status").json(Status.self).recipes.keys)
    }

    @Test(
        "After a change of the file, rethumb reports that the service needs a reload; after it, posts are switched")
    func reload() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            _ = try await daemon.upload(try Fixture.bytes("size-97x61.jpg"), by: "maria")
            let fresh = try await run(["config", "reload"] + storage)
            #expect(fresh.status == 0 && fresh.output.isEmpty, "\(fresh)")

            try scratch.write(#"{"recipes": ["small=40", "wide=50x20,cover"]}"#, to: "Storage/tintype.json")
            let before = try await run(["rethumb", "plan"] + storage)
            #expect(before.errors.contains("tintype config reload") && before.errors.contains("small=40"), "\(before)")
            #expect(before.output.hasPrefix("0 of 1"), "\(before)")
            let dry = try await run(["config", "reload", "--dry-run"] + storage)
            #expect(dry.status == 0 && dry.output.contains("would apply"), "\(dry)")
            #expect(try await recipes(daemon) == ["full", "medium", "thumb", "small", "tile"])

            let done = try await run(["config", "reload"] + storage)
            #expect(done.status == 0 && done.output.hasPrefix("recipes: small=40 wide=50x20,cover"), "\(done)")
            #expect(try await recipes(daemon) == ["small", "wide"])
            let after = try await run(["rethumb"] + storage)
            #expect(after.status == 0 && after.output.hasPrefix("1 of 1"), "\(after)")
            #expect(!after.errors.contains("reload"), "\(after)")
            #expect(try await daemon.stop() == 0)
            let nobody = try await run(["config", "reload"] + storage)
            #expect(nobody.status == 75 && nobody.errors.contains("no service"), "\(nobody)")
        }
    }

    @Test("Fixed and overridden settings are named; a fault in the file changes no setting")
    func limits() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(
                storage: scratch.path + "/Storage", arguments: ["--recipe", "thumb=100", "--workers", "1"])
            let storage = ["--storage", daemon.storage]
            try scratch.write(
                #"{"recipes": ["small=40"], "namespace": "other", "grace-period": "1h"}"#, to: "Storage/tintype.json")
            let result = try await run(["config", "reload", "--json"] + storage)
            let review = try JSONDecoder().decode(Review.self, from: Data(result.output.utf8))
            #expect(result.status == 3, "a restart is needed: \(result)")
            let effects = Dictionary(uniqueKeysWithValues: review.settings.map { ($0.name, $0.effect) })
            #expect(
                effects == ["recipes": "overridden", "namespace": "needs_restart", "grace-period": "applied"],
                "\(result)")
            #expect(review.settings.first { $0.name == "recipes" }?.by == "--recipe")
            #expect(try await recipes(daemon) == ["thumb"])
            let again = try await run(["config", "reload"] + storage)
            #expect(again.output.contains("namespace") && !again.output.contains("grace-period"), "\(again)")

            let faults = [
                ("{", "tintype.json:1:"), (#"{"free-space": "much"}"#, "much"), (#"{"grace-period": "soon"}"#, "soon"),
                (#"{"grace-perod": "1h"}"#, "grace-perod"),
            ]
            for (text, word) in faults {
                try scratch.write(text, to: "Storage/tintype.json")
                let refused = try await run(["config", "reload"] + storage)
                #expect(refused.status == 2 && refused.errors.contains(word), "\(text): \(refused)")
                #expect(try await daemon.client.ask(.post, "/v1/reload").status == 422, "the service checks itself")
            }
            #expect(try await recipes(daemon) == ["thumb"])
            try scratch.write("{}", to: "Storage/tintype.json")
            let ignored = try await run(["rethumb", "plan", "--recipe", "x=10", "--max-side", "5"] + storage)
            #expect(ignored.status == 2, "\(ignored)")
            #expect(ignored.errors.contains("--max-side, --recipe"), "\(ignored)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("A reload changes the name, the language and the icon; an icon that is no picture changes nothing")
    func site() async throws {
        struct Site: Decodable {
            struct Icon: Decodable, Equatable { let src: String }
            let name: String
            let language: String?
            let icons: [Icon]
        }
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            func site() async throws -> Site { try await daemon.get("/v1/site").json(Site.self) }
            let first = try await site()
            #expect(first.name == "Tintype" && first.language == nil)

            try scratch.write(try Fixture.bytes("photo.jpg"), to: "icon")
            let icon = scratch.path + "/icon"
            func configure(_ name: String) throws {
                try scratch.write(
                    #"{"name": "\#(name)", "language": "de", "icon": "\#(icon)"}"#, to: "Storage/tintype.json")
            }
            try configure("Fotoclub Lindenau")
            #expect(try await run(["config", "reload", "--dry-run"] + storage).status == 0)
            #expect(try await site().name == "Tintype")
            let done = try await run(["config", "reload"] + storage)
            #expect(done.status == 0 && done.output.contains("name: Fotoclub Lindenau (was Tintype)"), "\(done)")
            #expect(done.output.contains("icon: \(icon) (was the default)"), "\(done)")
            let second = try await site()
            #expect(second.name == "Fotoclub Lindenau" && second.language == "de" && second.icons != first.icons)
            let page = try await daemon.get("/all").text
            #expect(page.contains("<title>Fotoclub Lindenau</title>") && page.contains("<html lang=\"de\">"))

            try scratch.write("no picture", to: "icon")
            try configure("Another")
            let refused = try await run(["config", "reload"] + storage)
            #expect(refused.status == 2 && refused.errors.contains("icon: "), "\(refused)")
            let third = try await site()
            #expect(third.name == "Fotoclub Lindenau" && third.icons == second.icons)

            // The same path, but another picture.
            try scratch.write(try Fixture.bytes("size-640x480.jpg"), to: "icon")
            #expect(try await run(["config", "reload"] + storage).status == 0)
            #expect(try await site().icons != second.icons)
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("SIGHUP reloads, and never ends the service, whatever is in the file")
    func hangup() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            try scratch.write("{", to: "Storage/tintype.json")
            kill(daemon.processID, SIGHUP)
            try await eventually { try text(daemon.storage + ".log").contains("the settings are unchanged") }
            try scratch.write(#"{"recipes": ["small=40"], "namespace": "other"}"#, to: "Storage/tintype.json")
            kill(daemon.processID, SIGHUP)
            try await eventually { try await self.recipes(daemon) == ["small"] }
            try await eventually { try text(daemon.storage + ".log").contains("namespace changes with the next start") }
            _ = try await daemon.upload(try Fixture.bytes("size-97x61.jpg"), by: "maria")
            #expect(try await daemon.stop() == 0)
        }
    }
}
