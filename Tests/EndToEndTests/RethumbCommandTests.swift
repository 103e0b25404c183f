import Foundation
import Pipeline
import TestSupport
import Testing
import Tree

@Suite("tintype rethumb: stopped and resumed while readers look", .timeLimit(.minutes(10)))
struct RethumbCommandTests {
    private struct Post: Decodable {
        struct Photo: Decodable {
            struct Rendition: Decodable { let url: String }
            let renditions: [String: Rendition]
        }
        let postId: String
        let photos: [Photo]
    }

    private struct Page: Decodable {
        let posts: [Post]
        let hasMore: Bool
        let next: String?
    }

    @Test(
        "200 posts, a changed recipe, Ctrl-C and again: each post switched exactly once, no reader ever misses a file")
    func stoppedAndResumed() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            var daemon = try await Daemon(storage: storage)
            let photo = try Fixture.bytes("baseline-420.jpg")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<200 { group.addTask { [daemon] in _ = try await daemon.upload(photo, by: "maria") } }
                try await group.waitForAll()
            }
            #expect(try await daemon.stop() == 0)

            daemon = try await Daemon(
                storage: storage, arguments: ["--recipe", "thumb=100,q60", "--recipe", "wide=200x50,cover"])
            let missing = Shared<[String]>([])
            let looked = Shared(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [daemon] in
                    while !Task.isCancelled {
                        for url in try await urls(daemon) {
                            let answer = try await daemon.get(url)
                            looked.change { $0 += 1 }
                            if answer.status != 200 { missing.change { $0.append("\(url): \(answer.status)") } }
                        }
                    }
                }
                let first = try await interruptedRun(storage)
                #expect(first.status == 75 && first.errors.contains("run it again"), "\(first)")
                let rest = try await run(["rethumb", "--storage", storage])
                #expect(rest.status == 0, "\(rest)")
                let again = try await run(["rethumb", "--storage", storage, "--json"])
                #expect(again.output.contains(#""switched":0"#))
                let switched = Self.number(before: " of 200 posts switched", in: rest.output)
                #expect(
                    (1..<200).contains(switched), "some were switched before the interruption, some after: \(switched)")
                group.cancelAll()
            }
            #expect(missing.value.isEmpty)
            #expect(looked.value > 0)
            #expect(try await urls(daemon).count == 400, "two renditions a post, by the new recipes")
            #expect(try await daemon.stop() == 0)
            #expect(
                try await switches(in: storage) == Array(repeating: 1, count: 200), "each post switched exactly once")
            let state = try await Invariants(of: storage)
            #expect(state.posts.count == 200)
        }
    }

    /// Starts the job and presses Ctrl-C when it has told some progress.
    private func interruptedRun(_ storage: String) async throws -> (status: Int32, errors: String) {
        let (output, errors) = (storage + ".steps", storage + ".errors")
        let child = try Child(["rethumb", "--storage", storage, "--json"], output: output, errors: errors)
        try await eventually {
            try text(output).split(separator: "\n").contains { !$0.contains(#""switched":0"#) }
        }
        child.send(SIGINT)
        return (try await child.wait(), try text(errors))
    }

    /// How often each post's photos were changed after its publication, by the change log.
    private func switches(in path: String) async throws -> [Int] {
        let storage = try await StorageFolder(path: path)
        var counts: [TreePath: Int] = [:]
        for change in try await storage.tree.changes(since: .start, limit: .max) {
            for write in change.writes where write.path.lastKey == "photos" && write.path.keys.first == "posts" {
                counts[write.path, default: 0] += 1
            }
        }
        await storage.close()
        return counts.values.map { $0 }
    }

    private func urls(_ daemon: Daemon) async throws -> [String] {
        var urls: [String] = []
        var next: String?
        repeat {
            let cursor = next.map { "&before=\($0)" } ?? ""
            let page = try await daemon.get("/v1/posts?limit=200\(cursor)").json(Page.self)
            urls += page.posts.flatMap { $0.photos.flatMap { $0.renditions.values.map(\.url) } }
            next = page.hasMore ? page.next : nil
        } while next != nil
        return urls
    }

    private static func number(before text: String, in output: String) -> Int {
        guard let range = output.range(of: text) else { return -1 }
        return Int(output[..<range.lowerBound].split(whereSeparator: \.isWhitespace).last ?? "") ?? -1
    }
}
