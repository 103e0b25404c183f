import TestSupport
import Testing

@Suite("tintype user rm: the last admin", .timeLimit(.minutes(20)))
struct LastAdminTests {
    @Test("The removal of the last admin, and of no other, says how somebody becomes one")
    func last() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: "\(scratch.path)/Storage")
            let storage = ["--storage", daemon.storage]
            for (name, options) in [("ann", ["--admin"]), ("bob", ["--admin"]), ("eve", [])] {
                let order = ["user", "add", "\(name)@example.com", "--uid", name, "--generate-password"]
                #expect(try await run(order + options + storage).status == 0)
            }
            for (name, isLast) in [("ann", false), ("bob", true), ("eve", false)] {
                let removed = try await run(["user", "rm", name, "--yes"] + storage)
                #expect(removed.status == 0, "\(removed)")
                #expect(removed.errors.contains("nobody is an admin any more") == isLast, "\(removed)")
            }
            let made = try await run(["init", "--admin", "ann@example.com", "--generate-password"] + storage)
            #expect(made.status == 0 && made.output.contains("is an admin"), "\(made)")
            #expect(try await daemon.stop() == 0)
        }
    }
}
