import API
import Access
import Imaging
import Model
import Service
import Social
import Store
import TestSupport
import Testing
import Tree

@testable import Keeping
@testable import Uploads

@Suite("Edits of posts beside the jobs and audits that work on their photos", .timeLimit(.minutes(20)))
struct PostEditTests {
    private static let names = ["size-97x61.jpg", "baseline-420.jpg", "photo.jpg"]

    /// Publishes three photos of different sizes.
    private func publish(_ running: RunningPipeline, duplicates: DuplicatePolicy? = nil) async throws -> UploadRecord {
        let photos = try Self.names.map { ($0, try Fixture.bytes($0)) }
        return try await running.upload(photos, by: "maria", duplicates: duplicates)
    }

    /// Puts the photos of a post into the order of these numbers.
    private func arrange(_ numbers: [Int], of id: PostID, _ running: RunningPipeline) async throws {
        var edit = PostEdit()
        edit.photos = numbers.map { PostEdit.Photo(number: $0, alt: nil) }
        _ = try await running.pipeline.publisher.editPost(id, edit, by: .admin, if: nil, as: nil)
    }

    private func shown(_ running: RunningPipeline, _ id: PostID) async throws -> [PhotoRecord] {
        let post = try #require(try await running.storage.tree.get(PostNodes.post(id)))
        return try #require(PostPhotos.read(post))
    }

    /// Checks that a post shows the photos with these numbers, each with renditions of its own original, and that no
    /// audit finds a fault.
    private func check(
        _ numbers: [Int], of id: PostID, _ running: RunningPipeline, _ comment: String = ""
    ) async throws {
        let photos = try await shown(running, id)
        let record = try #require(try await running.pipeline.store.record(of: id))
        #expect(photos.numbers == numbers && record.photoNumbers == numbers, "\(comment)")
        #expect(record.orderedPhotos.map(\.originalName) == numbers.map { Self.names[$0] }, "\(comment)")
        for (photo, original) in zip(photos, record.orderedPhotos) {
            for rendition in photo.renditions.values {
                #expect(original.files[rendition.fileName] != nil, "\(comment): \(rendition.fileName)")
            }
        }
        let post = try #require(try await running.storage.tree.get(PostNodes.post(id)))
        let first = PostPhotos.firstFields(photos[0], post["photos"]?["0"] ?? .object([:]))
        for (name, value) in first { #expect(post[name] == value, "\(comment): \(name)") }
        let findings = try await StoreCheckStore.findings(running)
        #expect(findings.isEmpty, "\(comment): \(findings)")
    }

    @Test("A post in another order is rendered again, moderated, and swept like any other")
    func jobs() async throws {
        try await withScratch { scratch in
            let post = Shared<PostID?>(nil)
            try await withPipeline(in: scratch) { running in
                let id = try await publish(running).id
                post.change { $0 = id }
                try await arrange([2, 0, 1], of: id, running)
                try await check([2, 0, 1], of: id, running, "another order")
                let arranged = try await running.storage.tree.get(PostNodes.post(id))
                try await arrange([2, 0, 1], of: id, running)
                #expect(try await running.storage.tree.get(PostNodes.post(id)) == arranged, "it is in this order")
                try await arrange([1, 0, 2], of: id, running)
                try await check([1, 0, 2], of: id, running, "a third order")
                let moderation = running.pipeline.moderation
                _ = try await moderation.moderate(id, ModerationVerdict(.pass, photos: ["0": .blur]))
                try await check([1, 0, 2], of: id, running, "blurred")
                let record = try #require(try await running.pipeline.store.record(of: id))
                #expect(record.photos.filter(\.value.isBlurred).map(\.key) == [1])
                try await arrange([0, 1, 2], of: id, running)
                #expect(try await shown(running, id).map(\.isBlurred) == [false, true, false])
                _ = try await moderation.moderate(id, ModerationVerdict(.pass))
                try await arrange([2, 1, 0], of: id, running)
            }
            let id = try #require(post.value)
            let recipes = [try Recipe(parsing: "thumb=50,q60"), try Recipe(parsing: "full=90")]
            try await withPipeline(
                in: scratch,
                settings: {
                    $0.recipes = recipes
                    $0.gracePeriod = .zero
                }
            ) { running in
                try await check([2, 1, 0], of: id, running, "after a restart")
                let run = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
                #expect(run.switched == 1 && run.failed == 0)
                try await check([2, 1, 0], of: id, running, "rendered again")
                try await arrange([0, 2, 1], of: id, running)
                // The blurred renditions were replaced while the grace period was two days.
                running.clock.advance(by: 49 * 3_600_000)
                try await running.pipeline.janitor.sweep()
                try await check([0, 2, 1], of: id, running, "swept")
                let files = try await running.storage.blobs.fileNames(userID: "maria", postID: id.description)
                #expect(files.count == 3 + 3 * recipes.count)
                _ = try await running.pipeline.publisher.deletePost(id, by: .admin)
                try await eventually { try await running.storage.tree.get(WorkNodes.followUpTask()) == nil }
                running.clock.advance()
                try await running.pipeline.janitor.sweep()
                #expect(try await StoreCheckStore.findings(running).isEmpty)
                #expect(
                    try await running.storage.blobs.fileNames(userID: "maria", postID: id.description).isEmpty)
            }
        }
    }

    @Test(
        "A run that has rendered before the order changed shows each photo its own renditions, and so does its rollback"
    )
    func run() async throws {
        try await withScratch { scratch in
            let post = Shared<PostID?>(nil)
            try await withPipeline(in: scratch) { running in
                let id = try await publish(running).id
                post.change { $0 = id }
            }
            let id = try #require(post.value)
            let recipes = [try Recipe(parsing: "thumb=50,q60")]
            try await withPipeline(in: scratch, settings: { $0.recipes = recipes }) { running in
                var order = BatchOrder(.rethumb)
                order.switches = .last
                let runs = running.pipeline.postRuns
                func wait(for state: PostRunState, of job: PushID) async throws {
                    try await eventually { try await runs.list().first { $0.id == job }?.state == state }
                }
                let job = try await runs.begin(order)
                try await wait(for: .prepared, of: job.id)
                try await arrange([1, 2, 0], of: id, running)
                try await check([1, 2, 0], of: id, running, "prepared")
                _ = try await runs.begin(.switch, of: job.id)
                try await wait(for: .finished, of: job.id)
                try await check([1, 2, 0], of: id, running, "switched")
                #expect(try await shown(running, id).allSatisfy { Array($0.renditions.keys) == ["thumb"] })
                try await arrange([2, 1, 0], of: id, running)
                _ = try await runs.begin(.rollback, of: job.id)
                try await wait(for: .rolledBack, of: job.id)
                try await check([2, 1, 0], of: id, running, "rolled back")
                #expect(try await shown(running, id).allSatisfy { $0.renditions.count > 1 })
            }
        }
    }

    @Test("The index of photos follows the order: a duplicate is a post of the same photos in the same order")
    func index() async throws {
        try await withPipeline { running in
            let first = try await publish(running).id
            let second = try await publish(running).id
            func duplicate() async throws -> PostID? { try await publish(running, duplicates: .link).duplicateOf }
            #expect(try await duplicate() == first)
            try await arrange([1, 0, 2], of: first, running)
            let third = try await publish(running, duplicates: .link)
            #expect(third.state == .published, "the entry was the first post's")
            #expect(try await duplicate() == third.id)
            // In the order of another post, it needs no entry.
            try await arrange([0, 1, 2], of: first, running)
            #expect(try await duplicate() == third.id)
            try await arrange([1, 0, 2], of: third.id, running)
            #expect(try await publish(running, duplicates: .link).state == .published)
            for id in [first, second, third.id] {
                _ = try await running.pipeline.publisher.deletePost(id, by: .admin)
            }
            try await eventually { try await running.storage.tree.get(WorkNodes.followUpTask()) == nil }
            #expect(try await StoreCheckStore.findings(running).isEmpty)
        }
    }

    @Test("A missing rendition is made again from its own photo after the order has changed")
    func repair() async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            let id = try await publish(running).id
            let name = try #require(try await shown(running, id)[1].renditions["thumb"]?.fileName)
            try store.delete(store.path(id, name))
            #expect(try await store.audit(.check).findings.map(\.kind) == [.renditionMissing])
            try await arrange([2, 1, 0], of: id, running)
            try await arrange([1, 0, 2], of: id, running)
            let repaired = try await store.audit(.repair, changes: true)
            #expect(repaired.findings.map(\.outcome) == [.repaired], "\(repaired.findings)")
            try await check([1, 0, 2], of: id, running)
        }
    }

    @Test("Photos that are not those of the upload cannot change their order")
    func otherPhotos() async throws {
        try await withPipeline { running in
            let id = try await publish(running).id
            var update = MultiPathUpdate()
            update[PostNodes.post(id) / "photos" / "2"] = nil
            try await running.storage.tree.update(update)
            let failure = await #expect(throws: Failure.self) { try await arrange([1, 0], of: id, running) }
            #expect(failure?.code == .badRequest)
            try await arrange([0, 1], of: id, running)
            #expect(try await running.storage.tree.get(PostNodes.post(id) / "edited") == nil)
        }
    }
}
