import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tintype announcement, notification", .timeLimit(.minutes(20)))
struct NotificationCommandTests {
    @Test("39: An announcement is listed, delivered, read and deleted, in words and as JSON")
    func announce() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            let first = try await run(
                ["announcement", "add", "Dinner\nis\u{1B} at seven", "--title", "Tonight"] + storage)
            #expect(first.status == 1 && first.errors.contains("control characters"), "\(first)")
            let sent = try await run(["announcement", "add", "Dinner is at seven", "--title", "Tonight"] + storage)
            #expect(sent.status == 0 && sent.output.hasSuffix("  to everybody\n"), "\(sent)")
            let letter = try await run(
                ["announcement", "add", "To you", "--to", "ann", "--to", "bob", "--json"] + storage)
            #expect(letter.status == 0 && letter.output.contains(#""recipients":2"#), "\(letter)")
            let list = try await run(["announcement", "ls"] + storage)
            #expect(list.status == 0 && list.output.hasSuffix("  Tonight: Dinner is at seven\n"), "\(list)")
            let ann = try await run(["notification", "ls", "ann"] + storage)
            #expect(ann.output.split(separator: "\n").count == 2 && ann.errors.contains("2 unread"), "\(ann)")
            let one = try await run(["notification", "ls", "ann", "--limit", "1", "--json"] + storage)
            #expect(one.output.contains(#""text":"To you""#) && one.output.contains(#""unread":true"#), "\(one)")
            let read = try await run(["notification", "read", "ann"] + storage)
            #expect(read.status == 0 && read.output == "0 unread\n", "\(read)")
            let none = try await run(["notification", "ls", "ann", "--unread"] + storage)
            #expect(none.status == 0 && none.output.isEmpty, "\(none)")
            let id = String(list.output.prefix { $0 != " " })
            let removed = try await run(["announcement", "rm", id, "none"] + storage)
            #expect(removed.status == 3 && removed.output == "deleted  \(id)\n", "\(removed)")
            let empty = try await run(["announcement", "ls", "--json"] + storage)
            #expect(empty.status == 0 && empty.output.isEmpty, "\(empty)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("39: Wrong usage is 2, a refusal 1, and no service 75")
    func failures() async throws {
        try await withScratch { scratch in
            let storage = ["--storage", scratch.path + "/Storage"]
            for (arguments, status) in [
                (["announcement", "add"], 2), (["announcement", "ls", "--limit", "0"], 2), (["notification", "ls"], 2),
                (["notification", "read", "ann", "--limit", "5"], 2), (["announcement", "add", "hello"], 75),
                (["announcement", "rm", "x"], 75), (["notification", "ls", "ann"], 75),
            ] {
                let result = try await run(arguments + storage)
                #expect(result.status == Int32(status), "\(arguments): \(result)")
            }
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            for arguments in [
                ["announcement", "add", ""], ["announcement", "rm", "x"], ["notification", "ls", "a.b"],
            ] {
                let result = try await run(arguments + storage)
                #expect(result.status == 1, "\(arguments): \(result)")
            }
            #expect(try await daemon.stop() == 0)
        }
    }
}
