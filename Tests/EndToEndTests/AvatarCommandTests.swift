import Client
import Foundation
import TestSupport
import Testing

@Suite("tintype person avatar: pictures, from the command line, and through crashes", .timeLimit(.minutes(20)))
struct AvatarCommandTests {
    private func json(_ output: String) throws -> JSON {
        try JSONDecoder().decode(JSON.self, from: Data(output.utf8))
    }

    @Test("38, 39: A picture is given, replaced and removed")
    func life() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = daemon.storage
            @Sendable func avatar(_ words: String...) async throws -> (status: Int32, output: String, errors: String) {
                try await run(["person", "avatar"] + words + ["--storage", storage])
            }
            let photo = Fixture.path("size-640x480.jpg")
            let nobody = try await avatar("maria", photo)
            #expect(nobody.status == 1 && nobody.errors.contains("there is no person maria"), "\(nobody)")
            for uid in ["maria", "-jan"] {
                _ = try await run(["person", "set", uid, "--name", "X", "--storage", storage])
                let given = try await avatar(uid, photo)
                #expect(given.status == 0 && given.output.hasPrefix("\(uid)  /media/\(uid)/"), "\(given)")
            }
            let replaced = try await avatar("maria", Fixture.path("rgb-8.png"), "--json")
            let address = try #require(try json(replaced.output)["profile_picture"].string)
            #expect(try await daemon.get(address).status == 200)
            let shown = try await run(["person", "show", "maria", "--storage", storage])
            #expect(shown.output.contains(address), "\(shown)")
            let refused = try await avatar("maria", Fixture.path("README.md"))
            #expect(refused.status == 1 && refused.errors.contains("is not supported"), "\(refused)")
            let missing = try await avatar("maria", scratch.path + "/none.jpg")
            #expect(missing.status == 1 && missing.output.isEmpty, "\(missing)")
            let removed = try await avatar("maria", "--remove")
            #expect(removed.status == 0 && removed.output == "maria  no picture\n", "\(removed)")
            for wrong in [["maria"], ["maria", photo, "--remove"], ["--remove"], ["maria", photo, photo]] {
                #expect(try await run(["person", "avatar"] + wrong + ["--storage", storage]).status == 2, "\(wrong)")
            }
            #expect(try await daemon.stop() == 0)
            _ = try await Invariants(of: storage)
        }
    }

    @Test("A picture that waits for a moderator is reported as an upload")
    func waiting() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(
                storage: scratch.path + "/Storage", arguments: ["--moderation-command", "/bin/false"])
            let storage = ["--storage", daemon.storage]
            _ = try await run(["person", "set", "maria", "--name", "Maria"] + storage)
            let given = try await run(
                ["person", "avatar", "maria", Fixture.path("size-640x480.jpg"), "--json"] + storage)
            #expect(given.status == 0 && given.errors.contains("as soon as it can"), "\(given)")
            #expect(try json(given.output)["state"].string == "ingested", "\(given)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test(
        "38: Killed at any step, a service sets an acknowledged picture after the next start, and the file is complete",
        arguments: [
            ("before-rename:/blobs/maria/=crash@1", false), ("before-step:reserved-ingested=crash", false),
            ("after-step:reserved-ingested=crash", true), ("after-rename:/blobs/maria/=crash@2", true),
            ("before-step:ingested-published=crash", true), ("after-step:ingested-published=crash", true),
        ])
    func killed(rule: String, isAcknowledged: Bool) async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let first = try await Daemon(storage: storage)
            _ = try await run(["person", "set", "maria", "--name", "Maria", "--storage", storage])
            let old = try await run(["person", "avatar", "maria", Fixture.path("rgb-8.png"), "--storage", storage])
            #expect(old.status == 0, "\(old)")
            #expect(try await first.stop() == 0)
            let second = try await Daemon(storage: storage, environment: ["TINTYPE_FAILPOINTS": rule])
            let photo = Fixture.path("size-640x480.jpg")
            let cut = try await run(["person", "avatar", "maria", photo, "--storage", storage])
            // A commit may be answered before the end.
            #expect(cut.status != 0 || rule.contains("after-step:ingested-published"), "\(cut)")
            try await second.untilEnd()
            _ = try await Invariants(of: storage)
            let third = try await Daemon(storage: storage)
            let before = old.output.split(separator: " ").last.map { $0.trimmingCharacters(in: .newlines) }
            try await eventually {
                let picture = try await third.get("/v1/people/maria").json["profile_picture"].string
                return (picture != before) == isAcknowledged
            }
            let address = try #require(try await third.get("/v1/people/maria").json["profile_picture"].string)
            #expect(try await third.get(address).status == 200)
            #expect(try await third.get(before ?? "").status == 200, "the previous one stays for the grace period")
            #expect(try await third.get("/v1/unclaimed").text.isEmpty)
            #expect(try await third.stop() == 0)
            _ = try await Invariants(of: storage)
        }
    }
}
