import API
import Files
import Imaging
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Re-thumbnailing: new files, one update per post, old files later")
struct RethumbTests {
    private func publish(_ count: Int, in scratch: Scratch) async throws {
        try await withPipeline(in: scratch) { running in
            let bytes = try Fixture.bytes("baseline-420.jpg")
            for number in 0..<count {
                let record = try await running.upload([("a.jpg", bytes)], by: number % 2 == 0 ? "even" : "odd")
                #expect(record.state == .published)
            }
            _ = try await running.upload([], by: "even", text: "no photo")
        }
    }

    @Test("K15: a dry run only reports changes; then every post is switched once, and a second run is idle")
    func everyPostIsSwitchedOnceAndAgainNothing() async throws {
        try await withScratch { scratch in
            try await publish(4, in: scratch)
            let recipes = [try Recipe(parsing: "thumb=50,q60"), try Recipe(parsing: "wide=120x40,cover")]
            try await withPipeline(
                in: scratch,
                settings: {
                    $0.recipes = recipes
                    $0.gracePeriod = .zero
                }
            ) { running in
                let before = try await running.storage.tree.get("posts")
                let dry = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: true).run { _ in }
                #expect(dry.switched == 4 && dry.total == 5)
                #expect(try await running.storage.tree.get("posts") == before)

                var evens = PostSelection()
                evens.user = UserID("even")
                let some = try await Rethumb(running.pipeline.tools, selection: evens, isDryRun: false).run { _ in }
                #expect(some.switched == 2)
                let rest = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
                #expect(rest.switched == 2)
                let nothing = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in
                }
                #expect(nothing.switched == 0 && nothing.failed == 0)

                for child in try await running.storage.tree.children(of: PostNodes.post()) {
                    for photo in try #require(PostPhotos.read(child.value)) {
                        #expect(Set(photo.renditions.keys) == ["thumb", "wide"])
                        #expect(photo.renditions["wide"]?.width == 120)
                    }
                    if let url = child.value["thumb_url"]?.stringValue { #expect(url.contains("/thumb-")) }
                }
            }
        }
    }

    @Test(
        "Files in a post always exist: replaced files are deleted after the grace period, unless a recipe returns")
    func grace() async throws {
        try await withScratch { scratch in
            try await publish(1, in: scratch)
            let thumb = [try Recipe(parsing: "thumb=50")]
            try await withPipeline(in: scratch, settings: { $0.recipes = thumb }) { running in
                _ = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
                try await running.pipeline.janitor.sweep()
                #expect(try await names(running).count == 1 + 5 + 1, "the original, five old ones, a new one")
            }
            for (recipes, sweeps) in [(Recipe.defaults, false), (thumb, true)] {
                try await withPipeline(
                    in: scratch,
                    settings: {
                        $0.recipes = recipes
                        $0.gracePeriod = .zero
                    }
                ) { running in
                    _ = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
                    // Both generations are on the garbage list by then, one of them in use again.
                    guard sweeps else { return }
                    running.clock.advance()
                    try await running.pipeline.janitor.sweep()
                    let names = try await names(running)
                    #expect(names.filter { $0.hasPrefix("thumb-") }.count <= 2, "\(names)")
                    let post = try await running.storage.tree.children(of: PostNodes.post()).first?.value
                    for photo in PostPhotos.read(try #require(post)) ?? [] {
                        for rendition in photo.renditions.values { #expect(names.contains(rendition.fileName)) }
                    }
                }
            }
        }
    }

    private func names(_ running: RunningPipeline) async throws -> [String] {
        let ids = try await running.storage.tree.keys(of: PostNodes.post())
        return try await running.storage.blobs.fileNames(userID: "even", postID: ids[0].description)
    }

    @Test("A name never has two contents: one recipe of several changes, and is restored")
    func names() async throws {
        try await withScratch { scratch in
            // 320 is rendered from thumb, or from full where thumb is too near to it.
            let sets = ["thumb=640,q70", "thumb=350", "thumb=90", "thumb=640,q70"].map { thumb in
                ["full=1280,q90", thumb, "small=320,q75", "tile=160,cover"]
            }
            let seen = Shared<[String: [UInt8]]>([:])
            let first = try sets[0].map(Recipe.init(parsing:))
            try await withPipeline(in: scratch, settings: { $0.recipes = first }) {
                let bytes = try Fixture.bytes("photo.jpg")
                let record = try await $0.upload([("a.jpg", bytes)], by: "even")
                #expect(record.state == .published)
            }
            for (number, set) in sets.enumerated() {
                let recipes = try set.map(Recipe.init(parsing:))
                try await withPipeline(in: scratch, settings: { $0.recipes = recipes }) { running in
                    let progress = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run {
                        _ in
                    }
                    #expect(progress.switched == (number == 0 ? 0 : 1))
                    let post = try #require(try await running.storage.tree.children(of: PostNodes.post()).first)
                    let photo = try #require(PostPhotos.read(post.value)?.first)
                    #expect(photo.renditions.count == 4)
                    for rendition in photo.renditions.values {
                        let name = try BlobName(
                            userID: "even", postID: post.key.description, fileName: rendition.fileName)
                        let bytes = try await running.storage.blobs.open(name).readAll(maxBytes: 1 << 20)
                        #expect(bytes.count == rendition.byteCount)
                        let known = seen.value[rendition.fileName]
                        #expect(known == nil || known == bytes, "\(rendition.fileName)")
                        seen.change { $0[rendition.fileName] = bytes }
                    }
                }
            }
            // Of the first set: full and its source did not change with thumb; small did, twice.
            #expect(seen.value.keys.count { $0.hasPrefix("full") } == 1)
            #expect(seen.value.keys.count { $0.hasPrefix("small") } > 1)
        }
    }

    @Test("The progress is in the status while the run lasts, and no longer")
    func progressInStatus() async throws {
        try await withScratch { scratch in
            try await publish(3, in: scratch)
            try await withPipeline(in: scratch, settings: { $0.recipes = [Recipe.defaults[0]] }) { running in
                var ticket = running.pipeline.postRunSlot.take()
                let job = try await running.pipeline.postRuns.begin(BatchOrder(.rethumb))
                #expect(try await running.pipeline.report.status().batch?.id == job.id)
                #expect(ticket != nil)
                ticket = nil
                try await eventually { try await running.pipeline.report.status().batch == nil }
                #expect(try await running.pipeline.postRuns.list().first?.progress.done == 4, "three photos and a text")
            }
        }
    }

    @Test("A post without its original is counted, named and skipped")
    func failures() async throws {
        try await withScratch { scratch in
            try await publish(2, in: scratch)
            let recipes = [try Recipe(parsing: "thumb=50")]
            try await withPipeline(in: scratch, settings: { $0.recipes = recipes }) { running in
                let ids = try await running.storage.tree.keys(of: PostNodes.post())
                let victim = ids[0].description
                try await running.storage.blobs.remove(.init(userID: "even", postID: victim, fileName: "original.jpg"))
                let progress = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in
                }
                #expect(progress.failed == 1 && progress.switched == 1)
                #expect(progress.lastFailure?.contains(victim) == true)
            }
        }
    }
}
