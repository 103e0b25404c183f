import API
import Cryptography
import Files
import Foundation
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Uploads

@Suite("Uploads that wait when the service starts", .timeLimit(.minutes(15)))
struct PendingTests {
    /// `TINTYPE_PENDING=100000 TINTYPE_PENDING_FOLDER=DIR` leaves a Storage folder with that many, for `scale.py
    /// pending`.
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["TINTYPE_PENDING"].flatMap { Int($0) } ?? 2000

    @Test("Acknowledged uploads are queued again, each for its owner, without reading each record")
    func pending() async throws {
        try await withScratch { scratch in
            let folder = Scratch(path: Self.environment["TINTYPE_PENDING_FOLDER"] ?? scratch.path)
            try await withPipeline(in: folder, runs: false) { running in
                for start in stride(from: 0, to: Self.count, by: 500) {
                    try await reserve(start..<min(start + 500, Self.count), running)
                }
            }
            try await withPipeline(in: folder, runs: false) { running in
                try await running.pipeline.recover()
                #expect(running.pipeline.store.queue.count == Self.count)
                #expect(try await running.pipeline.store.unfinished(from: .inbox).isEmpty)
                #expect(try await running.pipeline.report.status().unfinished == [.ingested: Self.count])
            }
        }
    }

    /// Writes acknowledged uploads, each with its original, in one update.
    private func reserve(_ numbers: Range<Int>, _ running: RunningPipeline) async throws {
        let bytes = try Fixture.bytes("rgb-8.png")
        var update = MultiPathUpdate()
        for number in numbers {
            let owner = try #require(UserID("user\(number % 100)"))
            let id = running.pipeline.storage.ids.next()
            var record = UploadRecord(
                id: id, owner: owner, intake: .socket, state: .ingested, text: "", clientReference: nil, source: nil,
                createdAt: WallClock.now())
            let photo = UploadRecord.Photo(
                fileName: "original.png", originalName: "a.png", byteCount: bytes.count,
                sha256: sha256(of: bytes))
            record.photos = [0: photo]
            update[UploadNodes.upload(id)] = try record.value()
            update[UploadNodes.queued(id)] = QueueEntry(record).value
            try running.scratch.write(bytes, to: "Storage/blobs/\(owner)/\(id)/original.png")
        }
        try await running.storage.tree.update(update)
    }

    @Test("Entries of earlier versions, which contain only the state, are understood")
    func earlierVersions() async throws {
        try await withPipeline(runs: false) { running in
            let id = try await running.accept("rgb-8.png", by: "maria")
            try await running.storage.tree.set(UploadNodes.queued(id), to: "ingested")
            #expect(try await running.pipeline.store.queued().map(\.state) == [.ingested])
            #expect(try await running.pipeline.store.unfinished(from: .socket).map(\.id) == [id])
            try await running.pipeline.recover()
            #expect(running.pipeline.store.queue.count == 1)
        }
    }
}
