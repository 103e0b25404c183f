import Foundation
import TestSupport
import Testing

@Suite("tintype post rm, tintype store unclaimed: with a service and without", .timeLimit(.minutes(20)))
struct DeletionCommandTests {
    private struct Line: Decodable {
        let postId: String?
        let path: String?
        let outcome: String?
        let code: String?
    }

    private func lines(_ output: String) throws -> [Line] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try output.split(separator: "\n").map { try decoder.decode(Line.self, from: Data($0.utf8)) }
    }

    @Test("post rm: requires consent, deletes existing posts, and reports missing ones", arguments: [true, false])
    func remove(isRunning: Bool) async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage)
            let photo = try Fixture.bytes("baseline-420.jpg")
            var ids: [String] = []
            for _ in 0..<3 { ids.append(try await daemon.upload(photo, by: "maria")) }
            if !isRunning { try await daemon.stop() }

            let unasked = try await run(["post", "rm", ids[0], "--storage", storage])
            #expect(unasked.status == 2 && unasked.errors.contains("--yes"), "\(unasked)")
            #expect(unasked.errors.contains("\(ids[0])  maria"), "it shows the posts: \(unasked)")
            let nonsense = try await run(["post", "rm", "nonsense", "--yes", "--storage", storage])
            #expect(nonsense.status == 2 && nonsense.errors.contains("not a post's id"), "\(nonsense)")
            let option = try await run(["post", "rm", ids[0], "--nonsense", "--yes", "--storage", storage])
            #expect(option.status == 2 && option.errors.contains("--nonsense"), "\(option)")

            let first = try await run(["post", "rm", "--yes", "--storage", storage, ids[0]])
            #expect(first.status == 0 && first.output == "deleted  \(ids[0])\n", "\(first)")
            let rest = try await run(["post", "rm", "--yes", "--json", "--storage", storage, ids[0], ids[1]])
            #expect(rest.status == 3, "\(rest)")
            #expect(try lines(rest.output).map(\.outcome) == ["failed", "deleted"])
            #expect(try lines(rest.output).map(\.code) == ["not_found", nil])
            let none = try await run(["post", "rm", "--yes", "--storage", storage, ids[0]])
            #expect(none.status == 1, "\(none)")

            if isRunning { try await daemon.stop() }
            let again = try await Daemon(storage: storage)
            let posts = try await run(["post", "--json", "--storage", storage])
            #expect(posts.output.contains(ids[2]) && !posts.output.contains(ids[1]), "\(posts)")
            try await again.stop()
        }
    }

    @Test("An old tree is restored: the service reports it, keeps the files, and continues when it is accepted")
    func restored() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let photo = try Fixture.bytes("baseline-420.jpg")
            var daemon = try await Daemon(storage: storage)
            _ = try await daemon.upload(photo, by: "maria")
            try await daemon.stop()
            let tree = storage + "/tree.sqlite"
            try FileManager.default.copyItem(atPath: tree, toPath: scratch.path + "/tree.copy")
            daemon = try await Daemon(storage: storage)
            let lost = try await daemon.upload(photo, by: "maria")
            try await daemon.stop()
            for file in [tree, storage + "/tree.mark"] { try FileManager.default.removeItem(atPath: file) }
            try FileManager.default.copyItem(atPath: scratch.path + "/tree.copy", toPath: tree)

            daemon = try await Daemon(storage: storage, arguments: ["--grace-period", "0s"])
            try await eventually { try text(storage + ".log").contains("the tree is older than the blobs") }
            let status = try await run(["status", "--storage", storage])
            #expect(status.output.contains(/\nclean-up: held: .*\(tree_older\)\n/), "\(status)")
            for isRunning in [true, false] {
                if !isRunning { try await daemon.stop() }
                let list = try await run(["store", "unclaimed", "ls", "--json", "--storage", storage])
                #expect(try lines(list.output).map(\.path) == ["maria/\(lost)"], "\(list)")
                for command in [["accept"], ["rm", "--all"]] {
                    let unasked = try await run(["store", "unclaimed"] + command + ["--storage", storage])
                    #expect(unasked.status == 2 && unasked.errors.contains("--yes"), "\(unasked)")
                }
            }
            let accepted = try await run(["store", "unclaimed", "accept", "--yes", "--storage", storage])
            #expect(accepted.status == 0 && accepted.output == "accepted\n", "\(accepted)")
            daemon = try await Daemon(storage: storage, arguments: ["--grace-period", "0s"])
            let again = try await run(["store", "unclaimed", "accept", "--yes", "--storage", storage])
            #expect(again.status == 0 && again.output.isEmpty, "\(again)")
            #expect(scratch.exists("Storage/blobs/maria/\(lost)/original.jpg"), "accepting deletes nothing")

            let other = try await run(["store", "unclaimed", "rm", "maria/nothing", "--yes", "--storage", storage])
            #expect(other.status == 1, "\(other)")
            let dropped = try await run(["store", "unclaimed", "rm", "maria/\(lost)", "--yes", "--storage", storage])
            #expect(dropped.status == 0 && dropped.output == "deleted  maria/\(lost)\n", "\(dropped)")
            #expect(!scratch.exists("Storage/blobs/maria/\(lost)"))
            let empty = try await run(["store", "unclaimed", "ls", "--storage", storage])
            #expect(empty.status == 0 && empty.output.isEmpty && empty.errors == "every file is claimed\n", "\(empty)")
            try await daemon.stop()
        }
    }
}
