import API
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Decisions of an admin about an existing post: a new generation of files each time")
struct PostModerationTests {
    private func published(_ running: RunningPipeline, _ id: PostID) async throws -> [PhotoRecord] {
        let post = try #require(try await running.storage.tree.get(PostNodes.post(id)))
        return try #require(PostPhotos.read(post))
    }

    @Test("A post is blurred and shown again: each time the names differ, and no clear file is left in between")
    func thereAndBack() async throws {
        try await withPipeline { running in
            let bytes = try Fixture.bytes("photo.jpg")
            let id = try await running.upload([("a.jpg", bytes)], by: "u", alt: "A lake").id
            let moderation = running.pipeline.moderation
            func files() async throws -> [String] {
                try await running.storage.blobs.fileNames(userID: "u", postID: id.description)
            }
            let before = try await published(running, id)
            let answer = try await moderation.moderate(id, ModerationVerdict(.blur, reason: "for adults"))
            #expect(answer.photos == [.blur] && !answer.deleted && answer.reason == "for adults")
            let blurred = try await published(running, id)
            #expect(
                blurred[0].isBlurred && blurred[0].alt == "A lake" && blurred[0].placeholder != before[0].placeholder)
            let clear = before[0].renditions.values.map(\.fileName)
            #expect(Set(clear).isDisjoint(with: blurred[0].renditions.values.map(\.fileName)))
            let hidden = try await files()
            #expect(Set(clear).isDisjoint(with: hidden), "without waiting for the grace period")
            let record = try #require(try await running.pipeline.store.record(of: id))
            #expect(record.photos[0]?.isBlurred == true && record.moderation?.reason == "for adults")

            // A repeated decision changes only the reason.
            _ = try await moderation.moderate(id, ModerationVerdict(.blur))
            #expect(try await published(running, id) == blurred)

            _ = try await moderation.moderate(id, ModerationVerdict(.pass))
            let again = try await published(running, id)
            #expect(!again[0].isBlurred && again[0].alt == "A lake" && again[0].placeholder == before[0].placeholder)
            let names = again[0].renditions.values.map(\.fileName)
            #expect(Set(names).isDisjoint(with: clear), "no name is used again")
            #expect(try await running.pipeline.store.record(of: id)?.photos[0]?.isBlurred == false)
            // The blurred files stay for their readers during the grace period.
            let shown = try await files()
            #expect(Set(names).isSubset(of: shown) && shown.count == 1 + 5 + 5)
        }
    }

    @Test("Single photos and refusals: missing posts, impossible decisions, and the end of a post")
    func others() async throws {
        try await withPipeline { running in
            let bytes = try Fixture.bytes("baseline-420.jpg")
            let id = try await running.upload([("a.jpg", bytes), ("b.jpg", try Fixture.bytes("photo.jpg"))], by: "u").id
            let words = try await running.upload([], by: "u", text: "words").id
            let moderation = running.pipeline.moderation
            let one = try await moderation.moderate(id, ModerationVerdict(.pass, photos: ["1": .blur]))
            #expect(one.photos == [.pass, .blur])
            #expect(try await published(running, id).map(\.isBlurred) == [false, true])
            for (post, verdict, code) in [
                (id, ModerationVerdict(.pass, photos: ["2": .blur]), ErrorCode.badRequest),
                (words, ModerationVerdict(.blur), .badRequest),
                (words, ModerationVerdict(.pass, photos: ["0": .pass]), .badRequest),
                (running.storage.ids.next(), ModerationVerdict(.pass), .notFound),
            ] {
                let failure = await #expect(throws: Failure.self) { try await moderation.moderate(post, verdict) }
                #expect(failure?.code == code)
            }
            #expect(try await moderation.moderate(words, ModerationVerdict(.pass)).photos.isEmpty)
            // A photo that is refused refuses its post, and the answer reports the deletion.
            let refused = try await moderation.moderate(id, ModerationVerdict(.blur, photos: ["1": .refuse]))
            #expect(refused.deleted && refused.decision == .refuse)
            #expect(try await running.storage.tree.get(PostNodes.post(id)) == nil)
            let failure = await #expect(throws: Failure.self) {
                try await moderation.moderate(id, ModerationVerdict(.pass))
            }
            #expect(failure?.code == .notFound)
        }
    }
}
