import API
import Concurrency
import Files
import Foundation
import Imaging
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Transient errors cost time, never an upload", .timeLimit(.minutes(20)))
struct FaultTests {
    @Test(
        "K8: an unwritable rendition is tried again until it succeeds, and requests report the reason for the delay",
        .enabled(if: Obstacle.isPossible))
    func renditionInTheWay() async throws {
        try await withScratch { scratch in
            let accepted = Shared<PostID?>(nil)
            try await withPipeline(in: scratch, runs: false) { running in
                let id = try await running.accept("baseline-420.jpg", by: "u")
                accepted.change { $0 = id }
            }
            let id = try #require(accepted.value)
            let folder = "\(scratch.path)/Storage/blobs/u/\(id)"
            try #require(Obstacle.close(folder))
            defer { Obstacle.open(folder) }
            try await withPipeline(in: scratch) { running in
                try await eventually { try await running.pipeline.store.record(of: id)?.error != nil }
                let record = try #require(try await running.pipeline.store.record(of: id))
                #expect(record.state == .ingested && record.attempts >= 1)
                #expect(record.error?.message.contains("\(id)/") == true)
                #expect(try await running.storage.tree.get("posts") == nil, "never half a post")
                try #require(Obstacle.open(folder))
                let done = try await running.pipeline.store.end(of: id)
                #expect(done.state == .published && done.error == nil)
            }
        }
    }

    @Test("A missing original is a permanent failure; the error contains the path at which to restore it")
    func originalMissing() async throws {
        try await withScratch { scratch in
            let accepted = Shared<PostID?>(nil)
            try await withPipeline(in: scratch, runs: false) { running in
                let id = try await running.accept("baseline-420.jpg", by: "u")
                accepted.change { $0 = id }
            }
            let id = try #require(accepted.value)
            try FileManager.default.removeItem(atPath: "\(scratch.path)/Storage/blobs/u/\(id)/original.jpg")
            try await withPipeline(in: scratch) { running in
                let record = try await running.pipeline.store.end(of: id)
                #expect(record.state == .failed && record.error?.code == .originalMissing)
                #expect(record.error?.hint.contains("blobs/u/\(id)/original.jpg") == true)
            }
        }
    }

    @Test("B30: a shutdown finishes claimed work and returns waiting work; the next start continues")
    func shutdown() async throws {
        try await withScratch { scratch in
            let ids = Shared<[PostID]>([])
            try await withPipeline(in: scratch) { running in
                for _ in 0..<30 {
                    let id = try await running.accept("size-640x480.jpg", by: "u")
                    ids.change { $0.append(id) }
                }
            }
            try await withPipeline(in: scratch) { running in
                for id in ids.value {
                    let record = try await running.pipeline.store.end(of: id)
                    #expect(record.state == .published)
                }
                #expect(try await running.storage.tree.keys(of: PostNodes.post()).count == 30)
            }
        }
    }

    @Test("Backoff grows to a minute and never ends", arguments: [1, 2, 5, 8, 50, 100_000])
    func backoff(attempt: Int) {
        let delay = Backoff.delay(afterAttempt: attempt)
        #expect(delay >= .milliseconds(250) && delay <= .seconds(60))
        if attempt >= 8 { #expect(delay >= .seconds(30)) }
    }
}
