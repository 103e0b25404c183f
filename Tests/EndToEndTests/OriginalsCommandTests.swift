import Foundation
import TestSupport
import Testing

@Suite("tintype originals", .timeLimit(.minutes(10)))
struct OriginalsCommandTests {
    private func store(_ scratch: Scratch, posts: Int) async throws -> Daemon {
        let daemon = try await Daemon(storage: scratch.path + "/Storage")
        for _ in 0..<posts { _ = try await daemon.upload(try Fixture.bytes("photo.jpg"), by: "maria") }
        return daemon
    }

    @Test("A plan, a run and its state work beside the service and without it", arguments: [true, false])
    func commands(beside isRunning: Bool) async throws {
        try await withScratch { scratch in
            let daemon = try await store(scratch, posts: 2)
            if !isRunning { #expect(try await daemon.stop() == 0) }
            func originals(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
                try await run(["originals"] + arguments + ["--storage", daemon.storage])
            }
            let rule = ["--rule", "re-encode,q20,0d"]
            let plan = try await originals("plan", rule[0], rule[1])
            #expect(
                plan.status == 0 && plan.output.contains("2 of 2 posts that are old enough would be changed"), "\(plan)"
            )
            #expect(try await originals("plan", rule[0], rule[1], "--json").output.contains(#""bytes_after""#))
            let first = try await originals("run", rule[0], rule[1])
            #expect(first.status == 0 && first.output.contains("2 of 2 posts changed, 0 failed"), "\(first)")
            #expect(try await originals("status").output.contains("re-encode,q20,0d"))
            let again = try await originals("plan", rule[0], rule[1])
            #expect(
                again.output.contains("0 of 2 posts") && again.output.contains("2 originals stay: they were changed"))
            let drop = try await originals("run", "--rule", "drop,0d", "--json")
            #expect(drop.status == 0 && drop.output.contains(#""state":"finished""#), "\(drop)")
            #expect(try await originals("ls", "--json").output.split(separator: "\n").count == 2)
            #expect(try await run(["store", "verify", "--storage", daemon.storage]).status == 0)
            if isRunning { #expect(try await daemon.stop() == 0) }
        }
    }

    @Test(
        "After a kill at any step, the store is sound, and the next run does the rest",
        arguments: [
            ("re-encode,q20,0d", "after-step:original-reencoded-announced=crash@2"),
            ("re-encode,q20,0d", "after-rename:/blobs/=crash@2"),
            ("re-encode,q20,0d", "before-step:original-reencoded=crash@2"),
            ("re-encode,q20,0d", "after-step:original-reencoded=crash@2"),
            ("drop,0d", "before-step:original-dropped=crash@2"), ("drop,0d", "after-step:original-dropped=crash@1"),
            ("drop,0d", "before-commit:=crash@3"), ("re-encode,q20,0d", "after-commit:=crash@4"),
        ])
    func killed(rule: String, point: String) async throws {
        try await withScratch { scratch in
            let daemon = try await store(scratch, posts: 3)
            #expect(try await daemon.stop() == 0)
            let options = ["--storage", daemon.storage, "--render", "in-process"]
            let first = try await run(
                ["originals", "run", "--rule", rule] + options, environment: ["TINTYPE_FAILPOINTS": point])
            #expect(first.status != 0, "\(first)")
            #expect(try await run(["store", "verify", "--storage", daemon.storage]).status == 0)
            // Without a stored job, there is nothing to resume.
            var rest = try await run(["originals", "resume"] + options)
            if rest.status == 1 { rest = try await run(["originals", "run", "--rule", rule] + options) }
            #expect(rest.status == 0 && rest.output.contains("0 failed"), "\(rest)")
            let plan = try await run(["originals", "plan", "--rule", rule] + options)
            #expect(plan.output.contains("0 of 3 posts") && plan.output.contains("3 originals stay"), "\(plan)")
            #expect(try await run(["store", "verify", "--storage", daemon.storage]).status == 0)
        }
    }

    @Test(
        "A malformed order is refused",
        arguments: [
            (["run"], 1, "no rule"), (["plan"], 1, "no rule"), (["run", "--rule", "burn"], 2, "re-encode"),
            (["plan", "--rule", "drop,0d", "--user", "a/b"], 1, "user"), (["resume"], 1, "no run"),
        ] as [([String], Int32, String)])
    func refused(_ arguments: [String], status: Int32, word: String) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let result = try await run(["originals"] + arguments + ["--storage", daemon.storage])
            #expect(result.status == status && result.errors.contains(word), "\(result)")
            #expect(try await daemon.stop() == 0)
        }
    }
}
