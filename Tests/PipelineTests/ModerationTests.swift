import API
import Files
import Foundation
import Imaging
import Isolation
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Moderation between render and commit: content is not visible until it has passed")
struct ModerationTests {
    private struct Unanswered: Error {}

    /// A moderator with fixed answers.
    private func moderator(
        _ photos: Moderator.Photos = .bytes, _ answer: @escaping @Sendable (ModerationRequest) async throws -> String
    ) -> Moderator {
        Moderator(photos: photos) { json in Array(try await answer(ModerationRequest(json: Data(json))).utf8) }
    }

    private func files(_ running: RunningPipeline, _ id: PostID) async throws -> [String] {
        try await running.storage.blobs.fileNames(userID: "u", postID: id.description)
    }

    private func photos(_ running: RunningPipeline, _ id: PostID) async throws -> [PhotoRecord] {
        let post = try #require(try await running.storage.tree.get(PostNodes.post(id)))
        return try #require(PostPhotos.read(post))
    }

    @Test("Pass publishes the post unchanged; the moderator sees the author, the text and the largest rendition")
    func pass() async throws {
        let seen = Shared<ModerationRequest?>(nil)
        let bytes = try Fixture.bytes("photo.jpg")
        let moderator = moderator { request in
            seen.change { $0 = request }
            return #"{"decision":"pass","reason":"fine","something":1}"#
        }
        try await withPipeline(moderator: moderator) { running in
            let record = try await running.upload([("a.jpg", bytes)], by: "u", text: "hello", alt: "A lake")
            #expect(record.state == .published && record.moderation?.decision == .pass)
            let request = try #require(seen.value)
            #expect(request.post == record.id.description && request.uid == "u" && request.text == "hello")
            let photo = try #require(request.photos.first)
            let published = try await photos(running, record.id)
            let full = try #require(published[0].renditions["full"])
            #expect(!published[0].isBlurred && photo.alt == "A lake" && photo.path == nil)
            #expect(photo.type == full.contentType && photo.width == full.width && photo.height == full.height)
            let data = try #require(photo.data.flatMap { Data(base64Encoded: $0) })
            #expect(data.count == full.byteCount)
        }
    }

    @Test("Blur publishes other renditions under other names; the clear ones are deleted at once, the original stays")
    func blur() async throws {
        let bytes = try Fixture.bytes("photo.jpg")
        let clear = Shared<[String]>([])
        try await withScratch { scratch in
            let moderator = moderator { _ in #"{"decision":"pass","photos":{"1":"blur"}}"# }
            let blurred = Shared<PostID?>(nil)
            try await withPipeline(in: scratch, moderator: moderator) { running in
                let record = try await running.upload([("a.jpg", bytes), ("b.jpg", bytes)], by: "u")
                blurred.change { $0 = record.id }
                let photos = try await photos(running, record.id)
                #expect(photos.map(\.isBlurred) == [false, true])
                #expect(photos[0].placeholder != photos[1].placeholder)
                let original = try BlobName(
                    userID: "u", postID: record.id.description, fileName: record.orderedPhotos[1].fileName)
                #expect(try await running.restriction(of: original, isOriginal: true) == .unlessSigned)
                // The clear renditions of the second photo are deleted.
                try await eventually { try await files(running, record.id).count == 2 + 10 }
                let names = try await files(running, record.id)
                clear.change { $0 = photos[0].renditions.values.map(\.fileName) }
                for rendition in photos[1].renditions.values { #expect(names.contains(rendition.fileName)) }
            }
            // Rendered again, with or without a moderator, with the same recipes or others, it stays blurred.
            let recipes = [try Recipe(parsing: "full=500"), try Recipe(parsing: "thumb=100")]
            try await withPipeline(in: scratch, settings: { $0.recipes = recipes }) { running in
                let id = try #require(blurred.value)
                let progress = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in
                }
                #expect(progress.switched == 1)
                let photos = try await photos(running, id)
                #expect(photos.map(\.isBlurred) == [false, true] && photos[1].renditions.count == 2)
                for (name, rendition) in photos[1].renditions {
                    let recipe = try #require(recipes.first { $0.name == name }).blurred
                    #expect(rendition.fileName.contains(recipe.fingerprint(among: recipes.map(\.blurred))))
                }
                let again = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
                #expect(again.switched == 0)
            }
        }
    }

    @Test("Refuse ends the upload as failed, with the reason; no post, no files; a refused photo refuses its post")
    func refuse() async throws {
        let bytes = try Fixture.bytes("baseline-420.jpg")
        for answer in [
            #"{"decision":"refuse","reason":"not here"}"#,
            #"{"decision":"pass","photos":{"0":"refuse"},"reason":"not here"}"#,
        ] {
            try await withPipeline(moderator: moderator { _ in answer }) { running in
                let record = try await running.upload([("a.jpg", bytes)], by: "u")
                #expect(record.state == .failed && record.error?.code == .moderationRefused)
                #expect(record.error?.message.contains("not here") == true)
                #expect(try await running.storage.tree.get(PostNodes.post(record.id)) == nil)
                try await eventually { try await files(running, record.id).isEmpty }
            }
        }
    }

    @Test("Posts without photos are moderated, too; words cannot be blurred")
    func words() async throws {
        let moderator = moderator { request in
            request.text == "good"
                ? #"{"decision":"pass"}"# : request.text == "bad" ? #"{"decision":"refuse"}"# : #"{"decision":"blur"}"#
        }
        try await withPipeline(moderator: moderator) { running in
            let good = try await running.upload([], by: "u", text: "good")
            let bad = try await running.upload([], by: "u", text: "bad")
            let middling = try await running.upload([], by: "u", text: "middling")
            #expect(good.state == .published)
            #expect(bad.error?.code == .moderationRefused && middling.error?.code == .moderationRefused)
        }
    }

    @Test(
        "A malformed answer is not a decision: the upload waits, reports the reason, and is moderated again",
        arguments: [
            nil, "", "{", "[]", #"{"decision":"maybe"}"#, #"{"reason":"x"}"#,
            #"{"decision":"pass","photos":{"1":"blur"}}"#,
            #"{"decision":"pass","photos":{"x":"blur"}}"#,
            String(repeating: " ", count: 70_000) + #"{"decision":"pass"}"#,
        ] as [String?])
    func nonsense(answer: String?) async throws {
        let isRight = Shared(false)
        let moderator = moderator { _ in
            guard !isRight.value else { return #"{"decision":"pass"}"# }
            guard let answer else { throw Unanswered() }
            return answer
        }
        try await withPipeline(moderator: moderator) { running in
            let id = try await running.accept("baseline-420.jpg", by: "u")
            try await eventually {
                try await running.pipeline.store.record(of: id)?.error?.code == .moderationUnavailable
            }
            let waiting = try #require(try await running.pipeline.store.record(of: id))
            #expect(waiting.state == .ingested && waiting.attempts > 0)
            #expect(waiting.photos.values.allSatisfy { $0.rendered != nil })
            #expect(try await running.storage.tree.get(PostNodes.post(id)) == nil)
            let name = try #require(waiting.photos[0]?.rendered?.renditions.values.first?.fileName)
            let blob = try BlobName(userID: "u", postID: id.description, fileName: name)
            #expect(try await running.restriction(of: blob) == .always)
            isRight.change { $0 = true }
            #expect(try await running.pipeline.store.end(of: id).state == .published)
            #expect(try await running.restriction(of: blob) == .none)
        }
    }

    /// Counts rendered photos.
    private struct CountingRenderer: PhotoRenderer {
        let count: Shared<Int>

        func render(
            _ original: FileReader, recipes: [Recipe], beside others: [Recipe], limits: ImageLimits
        ) throws -> RenderedImage {
            count.change { $0 += 1 }
            return try InProcessRenderer().render(original, recipes: recipes, beside: others, limits: limits)
        }
    }

    @Test("While the moderator decides, all other photos are rendered, and none twice")
    func slowness() async throws {
        let count = Shared(0)
        let (closed, open) = AsyncStream.makeStream(of: Void.self)
        let opening = Task { for await _ in closed {} }
        let moderator = moderator { _ in
            await opening.value
            return #"{"decision":"pass"}"#
        }
        try await withPipeline(renderer: CountingRenderer(count: count), moderator: moderator) { running in
            defer { open.finish() }
            var ids: [PostID] = []
            for number in 0..<12 { ids.append(try await running.accept("baseline-420.jpg", by: "u\(number)")) }
            try await eventually { count.value == 12 }
            open.finish()
            for id in ids { #expect(try await running.pipeline.store.end(of: id).state == .published) }
            #expect(count.value == 12)
        }
    }

    @Test("A service that ends while the moderator decides repeats the request after the next start")
    func restart() async throws {
        try await withScratch { scratch in
            let asked = Shared(0)
            let accepted = Shared<PostID?>(nil)
            let silent = moderator { _ in
                asked.change { $0 += 1 }
                try await Task.sleep(for: .seconds(3600))
                return ""
            }
            try await withPipeline(in: scratch, moderator: silent) { running in
                let id = try await running.accept("baseline-420.jpg", by: "u")
                accepted.change { $0 = id }
                try await eventually { asked.value == 1 }
            }
            try await withPipeline(in: scratch, moderator: moderator { _ in #"{"decision":"blur"}"# }) { running in
                let id = try #require(accepted.value)
                #expect(try await running.pipeline.store.end(of: id).state == .published)
                #expect(try await photos(running, id).map(\.isBlurred) == [true])
            }
        }
    }

    @Test("Blur deletes all clear renditions, also those of earlier recipes")
    func earlierRecipes() async throws {
        try await withPipeline { running in
            let record = try await running.upload([("a.jpg", try Fixture.bytes("photo.jpg"))], by: "u")
            let first = try #require(try await photos(running, record.id).first)
            var settings = running.pipeline.settings
            settings.recipes = [try Recipe(parsing: "small=200x200,inside,q70")]
            running.pipeline.adopt(settings)
            _ = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
            let clear = try #require(try await photos(running, record.id).first)
            #expect(try await files(running, record.id).count == 1 + 5 + 1)
            let verdict = try ModerationVerdict(json: Data(#"{"decision":"blur"}"#.utf8))
            _ = try await running.pipeline.moderation.moderate(record.id, verdict)
            #expect(try await files(running, record.id).count == 1 + 1)
            for photo in [first, clear] {
                for rendition in photo.renditions.values {
                    let name = try BlobName(
                        userID: "u", postID: record.id.description, fileName: rendition.fileName)
                    #expect(try await running.restriction(of: name) == .always)
                }
            }
        }
    }

    @Test("A refused post is deleted, also when its author writes it again; an admin may permit it before")
    func refusedAnew() async throws {
        try await withPipeline(settings: { $0.gracePeriod = .zero }) { running in
            let tree = running.storage.tree
            var ids: [PostID] = []
            for isPassed in [false, true] {
                let id = try await running.upload([("a.jpg", try Fixture.bytes("rgb-8.png"))], by: "u").id
                ids.append(id)
                let post = try #require(try await tree.get(PostNodes.post(id)))
                let moderation = running.pipeline.moderation
                let refusal = try ModerationVerdict(json: Data(#"{"decision":"refuse","reason":"x"}"#.utf8))
                #expect(try await moderation.moderate(id, refusal).deleted)
                try await tree.set(PostNodes.post(id), to: post)
                let file = try #require(PostPhotos.read(post)?.first?.renditions["thumb"]?.fileName)
                let name = try BlobName(userID: "u", postID: id.description, fileName: file)
                #expect(try await running.restriction(of: name) == .always)
                guard isPassed else { continue }
                _ = try await moderation.moderate(id, try ModerationVerdict(json: Data(#"{"decision":"pass"}"#.utf8)))
                #expect(try await running.restriction(of: name) == .none)
            }
            try await running.pipeline.janitor.sweep()
            #expect(try await files(running, ids[0]).isEmpty)
            #expect(try await files(running, ids[1]).count == 6)
        }
    }

    @Test("Other renditions notify neither the mentioned people nor others who would be notified by now")
    func mentions() async throws {
        try await withPipeline { running in
            let tree = running.storage.tree
            let record = try await running.upload([("a.jpg", try Fixture.bytes("rgb-8.png"))], by: "u", text: "Hi Ann")
            try await tree.set("blocking/ann/u", to: true)
            let mention: TreeValue = ["uid": "ann", "start": 3, "length": 3]
            try await tree.set(PostNodes.post(record.id) / "mentions" / "0", to: mention)
            try await tree.set("blocking/ann/u", to: nil)
            let verdict = try ModerationVerdict(json: Data(#"{"decision":"blur"}"#.utf8))
            _ = try await running.pipeline.moderation.moderate(record.id, verdict)
            #expect(try await photos(running, record.id).map(\.isBlurred) == [true])
            #expect(try await tree.get("notifications") == nil)
        }
    }
}
