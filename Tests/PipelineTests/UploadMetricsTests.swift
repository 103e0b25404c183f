import API
import Files
import Metering
import Model
import NIOCore
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Uploads

@Suite("The metrics of uploads", .timeLimit(.minutes(10)))
struct UploadMetricsTests {
    private static func scrape(_ running: RunningPipeline) throws -> Scrape {
        var text = Exposition()
        running.storage.metrics.write(to: &text)
        return try Scrape(text.text)
    }

    /// The number of times each step ended in each way, such as `["render refused": 1]`.
    private static func steps(_ scrape: Scrape) -> [String: Int] {
        let samples = scrape.samples("tintype_upload_step_seconds_count")
        let counts = samples.map { ("\($0.labels["step"] ?? "") \($0.labels["outcome"] ?? "")", Int($0.value)) }
        return Dictionary(counts, uniquingKeysWith: +)
    }

    @Test("A photo that becomes a post is timed at each step, and in the queue before it")
    func published() async throws {
        try await withPipeline { running in
            let bytes = try Fixture.bytes("photo.jpg")
            let record = try await running.upload([("photo.jpg", bytes)], by: "maria")
            #expect(record.state == .published)
            try await eventually { try Self.steps(Self.scrape(running))["commit done"] == 1 }
            let scrape = try Self.scrape(running)
            #expect(
                Self.steps(scrape) == ["reserve done": 1, "ingest done": 1, "render done": 1, "commit done": 1])
            #expect(scrape.value("tintype_upload_ingested_bytes_total") == Double(bytes.count))
            #expect(scrape.value("tintype_upload_queue_wait_seconds_count") == 1)
            #expect(scrape.value("tintype_render_wait_seconds_count", ["priority": "queued"]) == 1)
            let labels = ["format": "jpeg", "renderer": "in-process", "outcome": "done"]
            #expect(scrape.value("tintype_render_seconds_count", labels) == 1)
        }
    }

    @Test("A refused upload is counted at the step that refuses it, and by its format")
    func refused() async throws {
        try await withPipeline { running in
            let cut = Array(try Fixture.bytes("photo.jpg").prefix(900))
            #expect(try await running.upload([("cut.jpg", cut)], by: "maria").state == .failed)
            await #expect(throws: Failure.self) {
                try await running.upload([("text.txt", Array("no photo at all".utf8))], by: "maria")
            }
            var request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
            request.text = String(repeating: "long ", count: 10_000)
            let long = request
            await #expect(throws: Failure.self) { _ = try await running.pipeline.store.reserve(long) }
            let scrape = try Self.scrape(running)
            #expect(
                Self.steps(scrape) == [
                    "reserve done": 2, "reserve refused": 1, "ingest done": 1, "ingest refused": 1,
                    "render refused": 1,
                ])
            let labels = ["format": "jpeg", "renderer": "in-process", "outcome": "refused"]
            #expect(scrape.value("tintype_render_seconds_count", labels) == 1)
            #expect(scrape.value("tintype_upload_ingested_bytes_total") == 900)
        }
    }

    @Test("A sender that disconnects interrupts the step")
    func interrupted() async throws {
        try await withPipeline { running in
            let request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
            var session = running.pipeline.receiver.resume(try await running.reserve(request))
            var pieces = 0
            await #expect(throws: CancellationError.self) {
                try await session.receive(named: "photo.jpg") {
                    pieces += 1
                    guard pieces < 3 else { throw CancellationError() }
                    return ByteBuffer(repeating: 7, count: 1000)
                }
            }
            let scrape = try Self.scrape(running)
            #expect(Self.steps(scrape) == ["reserve done": 1, "ingest interrupted": 1])
            #expect(scrape.value("tintype_upload_ingested_bytes_total") == 0)
        }
    }

    @Test("Files that are deleted as garbage are counted")
    func garbage() async throws {
        try await withPipeline(runs: false) { running in
            let garbage = running.pipeline.garbage
            let names = try (0..<3).map { number in
                try BlobName(
                    userID: "maria", postID: running.storage.ids.next().description, fileName: "thumb-\(number).jpg")
            }
            try await running.storage.blobs.put(names.map { ($0, [1, 2, 3]) })
            var update = MultiPathUpdate()
            try garbage.add(names, to: &update, isAtOnce: true)
            try await running.storage.tree.update(update)
            try await garbage.collect()
            let scrape = try Self.scrape(running)
            #expect(scrape.value("tintype_garbage_removed_files_total") == 3)
        }
    }
}
