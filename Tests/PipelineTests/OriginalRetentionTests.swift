import API
import Cryptography
import Files
import Foundation
import Imaging
import Logging
import Model
import NIOCore
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Keeping
@testable import Uploads

@Suite("Originals that a rule encodes again or drops", .timeLimit(.minutes(10)))
struct OriginalRetentionTests {
    private static let drop = OriginalRule(.drop, days: 0)

    private func run(_ running: RunningPipeline, _ rule: OriginalRule) async throws -> PostRunProgress {
        running.clock.advance()
        let job = OriginalRetention(running.pipeline.tools, by: rule, at: running.pipeline.store.now + .seconds(60))
        return try await job.run { _ in }
    }

    private func record(_ running: RunningPipeline, _ id: PostID) async throws -> UploadRecord {
        try #require(try await running.pipeline.store.record(of: id))
    }

    private func names(_ running: RunningPipeline, _ id: PostID) async throws -> [String] {
        try await running.storage.blobs.fileNames(userID: "maria", postID: id.description)
    }

    private func findings(_ running: RunningPipeline) async throws -> [FindingDocument] {
        let findings = Shared<[FindingDocument]>([])
        _ = try await StoreCheck(running.pipeline.storeCheckTools, StoreCheckOrder(.verify)).run { step in
            if case .finding(let finding) = step { findings.change { $0.append(finding) } }
        }
        return findings.value
    }

    private func kept(_ running: RunningPipeline, _ rule: OriginalRule) async throws -> [String: Int]? {
        var order = BatchOrder(.originals)
        order.rule = rule
        return try await OriginalPlan(running.pipeline.tools, order).document().kept
    }

    // MARK: Encoding again

    @Test(
        "A JPEG is encoded again once: another file with its metadata, the old one later, and the post unchanged"
    )
    func reencoded() async throws {
        try await withPipeline { running in
            let rule = OriginalRule(.reencode(quality: 20), days: 0)
            let bytes = try Fixture.bytes("photo.jpg")
            let post = try await running.upload([("a.jpg", bytes), ("b.jpg", bytes + [1])], by: "maria").id
            let png = try await running.upload([("c.png", try Fixture.bytes("rgb-8.png"))], by: "maria").id
            let before = try await running.storage.tree.get(PostNodes.post(post))
            var order = BatchOrder(.originals)
            order.rule = rule
            let plan = try await OriginalPlan(running.pipeline.tools, order).document()
            #expect(plan.total == 2 && plan.posts == 1 && plan.kept == ["format": 1] && plan.rule == "re-encode,q20,0d")
            let (now, after) = (try #require(plan.bytesNow), try #require(plan.bytesAfter))
            #expect(now == 2 * bytes.count + 1 && after > 0 && Double(after) < 0.9 * Double(now))

            let progress = try await run(running, rule)
            #expect(progress.switched == 1 && progress.total == 2 && progress.failed == 0)
            let changed = try await record(running, post)
            for (index, photo) in changed.orderedPhotos.enumerated() {
                let sent = index == 0 ? bytes : bytes + [1]
                let name = try changed.blobName(photo.fileName)
                let file = try await running.storage.blobs.open(name).readAll(maxBytes: 1 << 20)
                #expect(photo.fileName.hasPrefix(index == 0 ? "original-q20-" : "original-2-q20-"))
                #expect(photo.sha256 == sha256(of: sent) && photo.byteCount == sent.count)
                #expect(photo.storedSHA256 == sha256(of: file) && photo.storedByteCount == file.count)
                #expect(photo.reencoding == Reencoding(quality: 20, source: sha256(of: sent)))
                let (old, new) = (try ImageHeader.read(sent.span), try ImageHeader.read(file.span))
                #expect(old.size == new.size)
            }
            #expect(try await running.storage.tree.get(PostNodes.post(post)) == before)
            #expect(try await record(running, png).orderedPhotos[0].reencoding == nil)
            #expect(try await self.findings(running).isEmpty)
            let usage = try await running.pipeline.usage.document(of: try #require(UserID("maria")))
            #expect(usage.garbage == .init(bytes: now, files: 2))

            #expect(try await run(running, rule).switched == 0, "a photo is encoded once")
            running.clock.advance(by: 49 * 3_600_000)
            try await running.pipeline.janitor.sweep()
            #expect(try await names(running, post).filter { $0.hasPrefix("original") }.count == 2)
            #expect(try await self.findings(running).isEmpty)
            let again = try await running.upload(
                [("a.jpg", bytes), ("b.jpg", bytes + [1])], by: "maria", duplicates: .link)
            #expect(again.duplicateOf == post, "the digests of the sent photos remain")
            let explained = try await Explanation(running.pipeline.storeCheckTools).document(
                of: try ExplainedSubject(post.description))
            let original = try #require(explained.files.first { $0.use == .original && $0.photo == 0 })
            #expect(original.source == sha256(of: bytes) && original.sha256 == changed.orderedPhotos[0].storedSHA256)
            let rethumb = Rethumb(
                running.pipeline.tools, selection: .init(), by: [try Recipe(parsing: "thumb=50")], rethumbRun: nil)
            #expect(try await rethumb.run { _ in }.failed == 0)
        }
    }

    @Test("Encoded pixels are upright, and a camera's metadata stays, except the orientation", arguments: 1...8)
    func orientation(_ number: Int) async throws {
        let bytes = try Fixture.bytes("orientation-\(number)-mm.jpg")
        let recipe = try Recipe(name: "full", fit: .inside, width: 4000, height: 4000, quality: 90)
        let image = try Renderer().render(bytes.span, recipes: [recipe])
        let upright = CarriedEXIF.carry(from: bytes, to: try #require(image.renditions.first?.bytes))
        let header = try ImageHeader.read(upright.span)
        #expect(header.size == image.header.size && header.orientation == .up)
        #expect(upright.count > (image.renditions.first?.bytes.count ?? 0), "it has EXIF")
        let again = try Renderer().render(upright.span, recipes: [recipe])
        #expect(again.header.size == image.header.size)
    }

    @Test("An original that would hardly become smaller stays, and is not tried again")
    func hardlySmaller() async throws {
        try await withPipeline { running in
            let rule = OriginalRule(.reencode(quality: 100), days: 0)
            let post = try await running.upload([("a.jpg", try Fixture.bytes("photo.jpg"))], by: "maria").id
            #expect(try await run(running, rule).switched == 0)
            let photo = try await record(running, post).orderedPhotos[0]
            #expect(photo.fileName == "original.jpg" && photo.reencoding == Reencoding(quality: 100, source: nil))
            #expect(try await kept(running, rule) == ["hardly_smaller": 1])
            #expect(try await kept(running, OriginalRule(.reencode(quality: 20), days: 0)) == [:])
            #expect(try await self.findings(running).isEmpty)
        }
    }

    @Test("A damaged original is left for a backup, and named")
    func damagedOriginal() async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            try store.flip(store.path(store.post, "original.jpg"))
            let progress = try await run(running, OriginalRule(.reencode(quality: 20), days: 0))
            #expect(progress.failed == 1 && progress.lastFailure?.contains("damaged") == true)
            #expect(try await store.record(store.post).orderedPhotos[0].fileName == "original.jpg")
        }
    }

    // MARK: Dropping

    @Test("A dropped original leaves its record, and work that needs the original reports that it was dropped")
    func dropped() async throws {
        try await withPipeline { running in
            let bytes = try Fixture.bytes("baseline-420.jpg")
            let post = try await running.upload([("a.jpg", bytes)], by: "maria").id
            #expect(try await run(running, Self.drop).switched == 1)
            #expect(try await names(running, post).contains("original.jpg"), "until the grace period is over")
            #expect(try await self.findings(running).isEmpty)
            running.clock.advance(by: 49 * 3_600_000)
            try await running.pipeline.janitor.sweep()
            #expect(try await !names(running, post).contains { $0.hasPrefix("original") })
            #expect(try await self.findings(running).isEmpty)
            let record = try await record(running, post)
            let photo = record.orderedPhotos[0]
            #expect(photo.droppedAt != nil && photo.sha256 == sha256(of: bytes) && photo.byteCount == bytes.count)
            #expect(try record.originals.isEmpty)
            let usage = try await running.pipeline.usage.document(of: record.owner)
            #expect(usage.originals.files == 0 && usage.garbage.files == 0 && usage.renditions.files == 5)
            let explained = try await Explanation(running.pipeline.storeCheckTools).document(
                of: try ExplainedSubject(post.description))
            let file = try #require(explained.files.first { $0.use == .dropped })
            #expect(file.sha256 == sha256(of: bytes) && file.expectedBytes == bytes.count && file.droppedAt != nil)
            let again = try await running.upload([("a.jpg", bytes)], by: "maria", duplicates: .link)
            #expect(again.duplicateOf == post)
            #expect(try await run(running, Self.drop).switched == 0)
            #expect(try await kept(running, Self.drop) == ["done": 1])

            let rethumb = Rethumb(
                running.pipeline.tools, selection: .init(), by: [try Recipe(parsing: "thumb=50")], rethumbRun: nil)
            let progress = try await rethumb.run { _ in }
            #expect(progress.failed == 1 && progress.lastFailure?.contains("dropped by the rule") == true)
            let blur = await #expect(throws: Failure.self) {
                _ = try await running.pipeline.moderation.moderate(post, ModerationVerdict(.blur))
            }
            #expect(blur?.code == .originalDropped)
            #expect(try await OriginalScrub(running.pipeline.tools, isCheck: false).run { _ in }.failed == 0)
            let thumb = try #require(try await names(running, post).first { $0.hasPrefix("thumb-") })
            try await running.storage.blobs.remove(try record.blobName(thumb))
            let repairs = Shared<[FindingDocument]>([])
            var order = StoreCheckOrder(.repair)
            order.changes = true
            _ = try await StoreCheck(running.pipeline.storeCheckTools, order).run { step in
                if case .finding(let finding) = step { repairs.change { $0.append(finding) } }
            }
            #expect(repairs.value.map(\.outcome) == [.failed], "\(repairs.value)")
            #expect(repairs.value.first?.failure?.contains("dropped by the rule") == true)
        }
    }

    /// A reason why a post's original is not dropped.
    struct Obstacle: Sendable, CustomTestStringConvertible {
        let obstacle: OriginalObstacle
        let prepare: @Sendable (StoreCheckStore) async throws -> Void
        var testDescription: String { obstacle.rawValue }
    }

    @Test(
        "The last copy of a photo is never dropped while its renditions do not suffice",
        arguments: [
            Obstacle(obstacle: .renditionsDamaged) { try $0.flip(try await $0.rendition("tile-", of: $0.post)) },
            Obstacle(obstacle: .renditionsDamaged) { try $0.delete(try await $0.rendition("small-", of: $0.post)) },
            Obstacle(obstacle: .renditionsMissing) {
                var settings = $0.running.pipeline.settings
                settings.recipes = [try Recipe(parsing: "full=2000"), try Recipe(parsing: "thumb=100")]
                $0.running.pipeline.adopt(settings)
            },
            Obstacle(obstacle: .renditionsMissing) {
                try await $0.tree.set(PostNodes.post($0.post) / "photos" / "0" / "renditions" / "thumb", to: nil)
            },
            Obstacle(obstacle: .renditionsSmall) {
                let full = PostNodes.post($0.post) / "photos" / "0" / "renditions" / "full"
                try await $0.tree.set(full / "width", to: 1)
            },
            Obstacle(obstacle: .renditionsUnknown) {
                try await $0.tree.set(UploadNodes.photo(0, of: $0.post) / "files", to: nil)
            },
            Obstacle(obstacle: .blurred) {
                _ = try await $0.running.pipeline.moderation.moderate($0.post, ModerationVerdict(.blur))
            },
            Obstacle(obstacle: .unseenRun) { store in
                var order = BatchOrder(.rethumb)
                (order.switches, order.recipes) = (.last, [try Recipe(parsing: "thumb=50")])
                let job = try await store.running.pipeline.postRuns.begin(order)
                try await eventually {
                    try await store.running.pipeline.postRuns.list().first { $0.id == job.id }?.state == .prepared
                }
            },
        ])
    func obstacles(_ obstacle: Obstacle) async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            try await obstacle.prepare(store)
            _ = try await run(running, Self.drop)
            #expect(try await store.record(store.post).orderedPhotos[0].droppedAt == nil)
            #expect(FileManager.default.fileExists(atPath: store.path(store.post, "original.jpg")))
            let post = try #require(try await OriginalPost(store.post, in: running.pipeline.tools))
            #expect(try await post.obstacle(to: .drop, ofPhoto: 0, readsFiles: true) == obstacle.obstacle)
            running.clock.advance(by: 49 * 3_600_000)
            try await running.pipeline.janitor.sweep()
            #expect(FileManager.default.fileExists(atPath: store.path(store.post, "original.jpg")))
        }
    }

    @Test("Photos of the bucket, pictures of people and posts that are too young are left alone")
    func others() async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            let job = OriginalRetention(
                running.pipeline.tools, by: OriginalRule(.drop, days: 1), at: running.pipeline.store.now)
            #expect(try await job.count() == 0)
            #expect(try await job.run { _ in }.switched == 0)
            #expect(try await run(running, Self.drop).switched == 2)
            let avatar = try await store.record(store.avatar)
            #expect(avatar.orderedPhotos[0].droppedAt == nil)
        }
    }

    // MARK: The schedule

    @Test("With the setting, the job begins once a day, and former jobs are forgotten; without a rule no job can begin")
    func schedule() async throws {
        try await withPipeline { running in
            let (pipeline, schedule) = (
                running.pipeline,
                OriginalSchedule(
                    tools: running.pipeline.tools, storage: running.storage, postRuns: running.pipeline.postRuns,
                    slot: running.pipeline.postRunSlot, logger: .init(label: "test"))
            )
            let post = try await running.upload([("a.jpg", try Fixture.bytes("baseline-420.jpg"))], by: "maria").id
            try await schedule.beginWhatIsDue()
            #expect(try await pipeline.postRuns.list().isEmpty)
            let error = #expect(throws: Failure.self) { try BatchOrder(.originals).rule(orBy: pipeline.settings) }
            #expect(error?.code == .badRequest)
            var settings = pipeline.settings
            settings.originals = Self.drop
            pipeline.adopt(settings)
            running.clock.advance(by: 1000)
            for day in 0..<3 {
                for _ in 0..<2 {
                    try await schedule.beginWhatIsDue()
                    try await eventually { try await pipeline.postRuns.list().allSatisfy { $0.state == .finished } }
                }
                let jobs = try await pipeline.postRuns.list()
                #expect(
                    jobs.count == 1 && jobs.first?.kind == .originals && jobs.first?.rule == Self.drop, "day \(day)")
                running.clock.advance(by: 86_400_000)
            }
            #expect(try await record(running, post).orderedPhotos[0].droppedAt != nil)
        }
    }
}
