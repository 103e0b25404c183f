import API
import Dispatch
import Files
import Imaging
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@testable import Inbox

@Suite("B28: Photos that are dropped together are published in the order of their names", .timeLimit(.minutes(20)))
struct DropOrderTests {
    /// Renders one photo, identified by its size, only when that is permitted, and counts the others.
    private final class Reluctant: PhotoRenderer {
        let count = Shared(0)
        private let isAllowed = Shared(false)
        private let heldByteCount: Int
        /// Whether the photo fails until it is permitted; else its rendering lasts until then.
        private let fails: Bool
        private let permission = DispatchSemaphore(value: 0)

        init(holding photo: [UInt8], fails: Bool = false) {
            (heldByteCount, self.fails) = (photo.count, fails)
        }

        func allow() {
            isAllowed.change { $0 = true }
            permission.signal()
        }

        func render(
            _ original: FileReader, recipes: [Recipe], beside others: [Recipe], limits: ImageLimits
        ) throws -> RenderedImage {
            if try original.byteCount() == heldByteCount {
                if fails, !isAllowed.value { throw Failure(.workerKilled, "killed", isTransient: true) }
                permission.wait()
                permission.signal()
            } else {
                count.change { $0 += 1 }
            }
            return try InProcessRenderer().render(original, recipes: recipes, beside: others, limits: limits)
        }
    }

    private let slow: [UInt8]
    private let quick: [UInt8]

    init() throws {
        (slow, quick) = (try Fixture.bytes("baseline-444.jpg"), try Fixture.bytes("size-97x61.jpg"))
    }

    /// The file names of a user's posts, in the order of publication.
    private func published(_ running: RunningPipeline, by user: String = "amy") async throws -> [String] {
        let list = PostNodes.publishedBy(try #require(UserID(user)))
        let page = try await PostReader(running.storage.tree).page(of: list, before: nil, limit: 200)
        var sources: [String] = []
        for id in page.items.reversed().compactMap({ PostID($0.id.string) }) {
            sources.append(try await running.pipeline.store.record(of: id)?.source ?? "")
        }
        return sources
    }

    /// Publishes a photo of another user's, from the drop to the receipt.
    private func publishAnother(_ running: RunningPipeline) async throws {
        try running.drop(quick, as: "zoe/a.jpg")
        #expect(try await running.document("done/zoe/a.jpg.receipt.json")["outcome"] == "published")
    }

    @Test("However long the first photo takes, later ones are rendered meanwhile, and another user's is published")
    func slowPhoto() async throws {
        try await withScratch { scratch in
            let names = (10..<50).map { "\($0).jpg" }
            for name in names { try scratch.write(name == "10.jpg" ? slow : quick, to: "Storage/inbox/amy/\(name)") }
            let renderer = Reluctant(holding: slow)
            try await withInbox(in: scratch, renderer: renderer, intake: { $0.quietTime = .zero }) { running in
                defer { renderer.allow() }
                try await eventually(seen: { renderer.count.value }) { renderer.count.value == names.count - 1 }
                try await publishAnother(running)
                #expect(try await published(running).isEmpty)
                renderer.allow()
                try await eventually { try await published(running).count == names.count }
                #expect(try await published(running) == names)
            }
        }
    }

    @Test("Photos that are refused, on ingest or on rendering, keep none from being published")
    func refusedPhotos() async throws {
        try await withScratch { scratch in
            let files = [
                ("1.jpg", try Fixture.bytes("text.jpg")), ("2.jpg", quick),
                ("3.jpg", try Fixture.bytes("truncated-baseline-420.jpg")), ("4.jpg", quick), ("5.jpg", slow),
                ("6.jpg", quick),
            ]
            for (name, bytes) in files { try scratch.write(bytes, to: "Storage/inbox/amy/\(name)") }
            try await withInbox(in: scratch, intake: { $0.quietTime = .zero }) { running in
                _ = try await running.document("failed/unsupported_format/amy/1.jpg.reason.json")
                _ = try await running.document("failed/truncated/amy/3.jpg.reason.json")
                try await eventually { try await published(running).count == 4 }
                #expect(try await published(running) == ["2.jpg", "4.jpg", "5.jpg", "6.jpg"])
            }
        }
    }

    @Test("A photo that must be tried again lets later ones pass, and is published when it can be rendered")
    func transientError() async throws {
        try await withScratch { scratch in
            for name in ["1.jpg", "2.jpg", "3.jpg"] {
                try scratch.write(name == "1.jpg" ? slow : quick, to: "Storage/inbox/amy/\(name)")
            }
            let renderer = Reluctant(holding: slow, fails: true)
            try await withInbox(in: scratch, renderer: renderer, intake: { $0.quietTime = .zero }) { running in
                defer { renderer.allow() }
                try await eventually { try await published(running) == ["2.jpg", "3.jpg"] }
                renderer.allow()
                try await eventually { try await published(running) == ["2.jpg", "3.jpg", "1.jpg"] }
            }
        }
    }

    @Test("After a kill, the photo that was being ingested precedes the one that was acknowledged")
    func killed() async throws {
        try await withScratch { scratch in
            try await withPipeline(in: scratch, runs: false) { running in
                var records: [UploadRecord] = []
                for name in ["1.jpg", "2.jpg"] {
                    var request = UploadRequest(owner: try #require(UserID("amy")), intake: .inbox)
                    request.source = name
                    let record = try await running.reserve(request)
                    try scratch.write(name == "1.jpg" ? slow : quick, to: "Storage/incoming/\(record.id)/\(name)")
                    records.append(record)
                }
                var session = running.pipeline.receiver.resume(records[1])
                try await session.receive(quick, named: "2.jpg")
                _ = try await session.accept(text: "")
            }
            let renderer = Reluctant(holding: slow)
            try await withInbox(in: scratch, renderer: renderer) { running in
                defer { renderer.allow() }
                try await eventually { renderer.count.value == 1 }
                try await publishAnother(running)
                #expect(try await published(running).isEmpty)
                renderer.allow()
                try await eventually { try await published(running).count == 2 }
                #expect(try await published(running) == ["1.jpg", "2.jpg"])
                try await eventually { try await running.storage.tree.get(UploadNodes.queued()) == nil }
            }
        }
    }

    @Test("A user at the limit of uploads in progress has no files claimed until there is room; others have turns")
    func room() throws {
        let (amy, zoe) = (try #require(UserID("amy")), try #require(UserID("zoe")))
        let counts = ClaimCounts(limit: 2)
        var schedule = FairSchedule()
        for user in [amy, zoe] { schedule.walk(through: .user(user)) }
        counts.add(amy)
        #expect(!counts.isFull(.user(amy)))
        counts.add(amy)
        #expect(counts.isFull(.user(amy)) && !counts.isFull(.user(zoe)) && !counts.isFull(.inbox))
        #expect(schedule.next(unless: counts.isFull)?.root == .user(zoe))
        schedule.went(nil, of: .user(zoe), in: .zero)
        #expect(schedule.next(unless: counts.isFull) == nil)
        #expect(counts.remove(amy), "there is room again")
        #expect(schedule.next(unless: counts.isFull)?.root == .user(amy))
        #expect(!counts.remove(amy), "there was room before")
    }
}
