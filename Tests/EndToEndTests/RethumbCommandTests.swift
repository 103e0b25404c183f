import DaemonSupport
import Foundation
import Keeping
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("tintype rethumb: stopped and resumed with concurrent readers", .timeLimit(.minutes(10)))
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

    @Test("A run that the disk did not store does not exist: it delays no other, and the next one finishes")
    func refused() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(
                storage: storage, environment: ["TINTYPE_FAILPOINTS": "before-step:job-saved=EIO@1"])
            _ = try await daemon.upload(try Fixture.bytes("baseline-420.jpg"), by: "maria")
            let rethumb = ["rethumb", "run", "--storage", storage]
            #expect(try await run(rethumb).status != 0)
            #expect(try await run(["rethumb", "ls", "--storage", storage]).output.isEmpty)
            let next = try await run(rethumb)
            #expect(next.status == 0, "\(next)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("A run that waits for space on the disk reports that, with the path and the required space")
    func waiting() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            var daemon = try await Daemon(storage: storage)
            _ = try await daemon.upload(try Fixture.bytes("baseline-420.jpg"), by: "maria")
            #expect(try await daemon.stop() == 0)
            daemon = try await Daemon(
                storage: storage, arguments: ["--recipe", "thumb=40,q60", "--free-space", "1000TiB"])
            let words = [
                "waits for room on the disk of \(storage): ", "iB of the disk are free; ", "1.0 PiB have to be",
            ]
            let (output, errors) = (scratch.path + "/output", scratch.path + "/errors")
            let child = try Child(["rethumb", "run", "--storage", storage], output: output, errors: errors)
            try await eventually(seen: { try text(errors) }) {
                let told = (try? text(errors)) ?? ""
                return words.allSatisfy { told.contains($0) }
            }
            for command in ["ls", "status"] {
                let told = try await run(["rethumb", command, "--storage", storage])
                #expect(told.status == 0 && words.allSatisfy { told.output.contains($0) }, "\(told)")
            }
            let status = try await run(["status", "--storage", storage])
            #expect(status.output.contains(words[0]), "\(status)")
            let paused = try await run(["rethumb", "pause", "--storage", storage])
            #expect(paused.status == 0 && !paused.output.contains("waits"), "\(paused)")
            #expect(try await child.wait() == 75)
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test(
        "Runs are planned, listed, switched at once, rolled back and forgotten; a killed run continues",
        arguments: [true, false])
    func runs(beside isRunning: Bool) async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let options = ["--recipe", "thumb=40,q60"]
            var daemon = try await Daemon(storage: storage)
            var posts: [String] = []
            for _ in 0..<4 { posts.append(try await daemon.upload(try Fixture.bytes("baseline-420.jpg"), by: "maria")) }
            #expect(try await daemon.stop() == 0)
            let before = try await self.photos(in: storage)
            if isRunning { daemon = try await Daemon(storage: storage, arguments: options) }
            func rethumb(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
                let takesRecipes = ["plan", "run", "resume", "switch"].contains(arguments.first)
                let local = isRunning || !takesRecipes ? [] : options
                return try await run(["rethumb"] + arguments + local + ["--storage", storage])
            }

            let plan = try await rethumb("plan")
            #expect(plan.status == 0 && plan.output.hasPrefix("4 of 4 posts would be switched"), "\(plan)")
            #expect(plan.output.contains("of renditions") && plan.output.contains("of work"), "\(plan)")
            let prepared = try await rethumb("run", "--switch-last", "--concurrency", "2")
            #expect(prepared.status == 0 && prepared.output.contains("4 of 4 posts rendered"), "\(prepared)")
            #expect(try await rethumb("status").output.contains("prepared"))
            let switched = try await rethumb("switch")
            #expect(switched.status == 0 && switched.output.contains("4 of 4 posts switched"), "\(switched)")
            #expect(try await rethumb("switch").status == 1, "no run waits for it")
            let back = try await rethumb("rollback")
            #expect(back.status == 0 && back.output.contains("4 of 4 posts switched back"), "\(back)")
            let list = try await rethumb("ls", "--json")
            #expect(list.output.split(separator: "\n").count == 1 && list.output.contains(#""state":"rolled_back""#))
            let id = try #require(list.output.firstMatch(of: /"id":"([^"]+)"/)?.1)
            #expect(try await rethumb("rm", String(id)).status == 0)
            #expect(try await rethumb("ls").output.isEmpty)
            #expect(try await rethumb("rm", String(id)).status == 1)
            if isRunning { #expect(try await daemon.stop() == 0) }
            #expect(try await self.photos(in: storage) == before, "as it was before the run")
            #expect(try await run(["store", "check", "--storage", storage]).status == 0)

            // After a kill in the middle, the run still exists.
            let killed = try await run(
                ["rethumb", "--storage", storage] + options,
                environment: ["TINTYPE_FAILPOINTS": "after-step:switch=crash@2"])
            #expect(killed.status != 0)
            let resumed = try await run(["rethumb", "resume", "--storage", storage] + options)
            #expect(resumed.status == 0 && resumed.output.contains("4 of 4 posts switched"), "\(resumed)")
            #expect(try await run(["store", "check", "--storage", storage]).status == 0)
            #expect(try await switches(in: storage).allSatisfy { $0 == 3 }, "there, back, and there once more")
        }
    }

    @Test(
        "However often a run is killed, each rendition is created once: finished ones are reused, and nothing is left",
        arguments: [
            ("after-rename:/blobs/maria/", "each"), ("before-step:switch", "each"), ("after-step:switch", "each"),
            ("after-rename:/blobs/maria/", "last"), ("before-step:prepared", "last"), ("after-step:prepared", "last"),
        ])
    func killed(at point: String, switches: String) async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let options = ["--recipe", "full=90", "--recipe", "thumb=40,cover", "--storage", storage]
            let daemon = try await Daemon(storage: storage)
            var posts: [String] = []
            for _ in 0..<3 { posts.append(try await daemon.upload(try Fixture.bytes("baseline-420.jpg"), by: "maria")) }
            #expect(try await daemon.stop() == 0)
            func files() throws -> [Set<String>] {
                try posts.map { post in
                    Set(try FileManager.default.contentsOfDirectory(atPath: "\(storage)/blobs/maria/\(post)"))
                }
            }
            let before = try files()
            // Five runs are killed at the same step, and the sixth finishes.
            var (seen, kills) = (before, 0)
            var words = ["rethumb", "run", "--concurrency", "2"] + (switches == "last" ? ["--switch-last"] : [])
            while true {
                let isKilled = kills < 5
                let result = try await run(
                    words + options, environment: isKilled ? ["TINTYPE_FAILPOINTS": "\(point)=crash@1"] : [:])
                seen = zip(seen, try files()).map { $0.union($1) }
                if result.status == 0 { break }
                kills += 1
                try #require(isKilled, "\(result)")
                words = ["rethumb", "resume"]
            }
            // A run that is killed after its step has advanced each time, by a few renditions at once, or by two posts.
            #expect(point.hasPrefix("before-step") ? kills == 5 : (2...5).contains(kills))
            if switches == "last" { #expect(try await run(["rethumb", "switch"] + options).status == 0) }
            let status = try await run(["rethumb", "status", "--storage", storage])
            #expect(status.output.contains("3 of 3 posts, 3 switched, 0 failed"), "\(status)")
            for (files, old) in zip(seen, before) { #expect(files.count == old.count + 2, "\(files)") }
            #expect(try files() == seen, "replaced files are in their grace period")
            #expect(try await run(["store", "check", "--storage", storage]).status == 0)
            let garbage = try await run(["store", "gc", "--storage", storage, "--json"])
            #expect(garbage.status == 0, "\(garbage)")
        }
    }

    @Test(
        "A malformed order is refused",
        arguments: [
            (["run", "--concurrency", "0"], 2, "concurrency"), (["run", "--limit", "0"], 2, "limit"),
            (["run", "--only-missing", "--only-damaged"], 2, "either"), (["run", "--since", "soon"], 1, "moment"),
            (["run", "--with", "thumb"], 1, "thumb"), (["run", "--with", "original=90"], 1, "original"),
            (["resume"], 1, "no run"), (["pause", "nothing"], 1, "no job"),
        ] as [([String], Int32, String)])
    func refused(_ arguments: [String], status: Int32, word: String) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let result = try await run(["rethumb"] + arguments + ["--storage", daemon.storage])
            #expect(result.status == status && result.errors.contains(word), "\(result)")
            #expect(try await daemon.stop() == 0)
        }
    }

    /// Returns the photos of all posts.
    private func photos(in path: String) async throws -> [TreeValue?] {
        let storage = try await StorageFolder.open(path: path)
        let photos = try await storage.tree.children(of: "posts").map { $0.value["photos"] }
        await storage.close()
        return photos
    }

    /// Starts the job and presses Ctrl-C when it has reported some progress.
    private func interruptedRun(_ storage: String) async throws -> (status: Int32, errors: String) {
        let (output, errors) = (storage + ".steps", storage + ".errors")
        let child = try Child(["rethumb", "--storage", storage, "--json"], output: output, errors: errors)
        try await eventually {
            try text(output).split(separator: "\n").contains { !$0.contains(#""switched":0"#) }
        }
        child.send(SIGINT)
        return (try await child.wait(), try text(errors))
    }

    /// Returns the number of changes to each post's photos after its publication, from the change log.
    private func switches(in path: String) async throws -> [Int] {
        let storage = try await StorageFolder.open(path: path)
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
