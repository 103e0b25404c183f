import API
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

@Suite("The intake pauses while the disk is full or broken, and resumes without help", .timeLimit(.minutes(20)))
struct IntakeTests {
    private static let gibibyte = 1 << 30
    private static let reserves: [(String, Int, Int)] = [
        ("2GiB,5%", 100 * gibibyte, 2 * gibibyte), ("2GiB,5%", 10 * gibibyte, 10 * gibibyte / 100 * 5),
        ("5%,2GiB", 100 * gibibyte, 2 * gibibyte),
        ("0", 100 * gibibyte, 0), ("0%", 100 * gibibyte, 0), ("1500", 100 * gibibyte, 1500), ("3KiB", gibibyte, 3072),
        ("1TiB", gibibyte, 1024 * gibibyte), ("90%", 1000, 900),
    ]

    @Test("The reserve: amounts, shares, and the lesser of both", arguments: reserves)
    func reserve(text: String, total: Int, expected: Int) throws {
        let reserve = try #require(FreeSpaceReserve(text))
        #expect(reserve.bytes(of: FileSystemSpace(freeBytes: 0, totalBytes: total)) == expected)
    }

    @Test(
        "Other values are not a reserve",
        arguments: [
            "", ",", "5%,6%", "1GiB,2GiB", "-1", "+1", "91%", "GiB", "%", "1.5GiB", "1 GiB", "2Gb", "9999999999TiB",
            "5%,", "1GiB,5%,",
        ])
    func noReserve(text: String) {
        #expect(FreeSpaceReserve(text) == nil)
    }

    @Test("Space: bytes, files and the mount; resuming needs more than staying open")
    func shortage() async throws {
        try await withPipeline(runs: false, settings: { $0.freeSpaceReserve = FreeSpaceReserve(bytes: 1000) }) {
            running in
            let watch = running.pipeline.disk
            func code(_ free: Int, files: Int? = nil, isReadOnly: Bool = false) -> ErrorCode? {
                watch.shortage(in: .init(freeBytes: free, totalBytes: 9999, freeFiles: files, isReadOnly: isReadOnly))?
                    .code
            }
            #expect(code(1000) == nil && code(999) == .diskFull)
            #expect(code(1000, files: 3) == .diskFull && code(1000, files: 1000) == nil)
            #expect(code(1000, isReadOnly: true) == .readOnly)
            watch.gate.set(IntakePause(code: .diskFull, message: "", hint: ""))
            #expect(code(1049) == .diskFull && code(1050) == nil)
        }
    }

    @Test("A full disk pauses the waiting uploads, which counts as no attempt; with space again they are published")
    func lowSpace() async throws {
        try await withScratch { scratch in
            let accepted = Shared<[PostID]>([])
            try await withPipeline(in: scratch, runs: false) { running in
                for _ in 0..<3 {
                    let id = try await running.accept("size-640x480.jpg", by: "u")
                    accepted.change { $0.append(id) }
                }
            }
            try await withPipeline(in: scratch, settings: { $0.freeSpaceReserve = FreeSpaceReserve(bytes: .max / 2) }) {
                running in
                try await eventually { running.pipeline.disk.gate.pause != nil }
                #expect(running.pipeline.disk.gate.pause?.code == .diskFull)
                let status = try await running.pipeline.report.status()
                #expect(status.unfinished[.ingested] == 3 && status.published == 0)
                #expect((status.freeSpace?.bytes ?? 0) > 0)
            }
            try await withPipeline(in: scratch) { running in
                for id in accepted.value {
                    let record = try await running.pipeline.store.end(of: id)
                    #expect(record.state == .published && record.attempts == 0)
                }
            }
        }
    }

    @Test(
        "A fault that concerns all uploads pauses everything until a trial succeeds: no attempt is counted",
        .enabled(if: Obstacle.isPossible))
    func brokenDisk() async throws {
        try await withScratch { scratch in
            let folders = ["blobs", "incoming", "done", "failed"].map { "\(scratch.path)/Storage/\($0)" }
            let accepted = Shared<PostID?>(nil)
            try await withPipeline(in: scratch, runs: false) { running in
                let id = try await running.accept("size-640x480.jpg", by: "u")
                accepted.change { $0 = id }
            }
            let id = try #require(accepted.value)
            // Neither renditions nor anything else can be written.
            let obstacles = folders + ["\(folders[0])/u/\(id)"]
            defer { for folder in obstacles { Obstacle.open(folder) } }
            for folder in obstacles { #expect(Obstacle.close(folder)) }
            try await withPipeline(in: scratch) { running in
                try await eventually { running.pipeline.disk.gate.pause != nil }
                #expect(running.pipeline.disk.gate.pause?.code == .permission)
                let waiting = try await running.pipeline.store.record(of: id)
                #expect(waiting?.state == .ingested && waiting?.attempts == 0 && waiting?.error == nil)
                for folder in obstacles { Obstacle.open(folder) }
                let record = try await running.pipeline.store.end(of: id)
                #expect(record.state == .published && record.attempts == 0)
                #expect(running.pipeline.disk.gate.pause == nil)
            }
        }
    }

    @Test(
        "A fault of one upload's folder delays that upload alone, without a pause", .enabled(if: Obstacle.isPossible))
    func oneFolder() async throws {
        try await withScratch { scratch in
            let accepted = Shared<PostID?>(nil)
            try await withPipeline(in: scratch, runs: false) { running in
                let id = try await running.accept("size-640x480.jpg", by: "u")
                accepted.change { $0 = id }
            }
            let id = try #require(accepted.value)
            let folder = "\(scratch.path)/Storage/blobs/u/\(id)"
            defer { Obstacle.open(folder) }
            #expect(Obstacle.close(folder))
            try await withPipeline(in: scratch) { running in
                try await eventually { (try await running.pipeline.store.record(of: id)?.attempts ?? 0) >= 2 }
                #expect(running.pipeline.disk.gate.pause == nil)
                let other = try await running.upload(
                    [("b.jpg", try Fixture.bytes("size-640x480.jpg"))], by: "u")
                #expect(other.state == .published, "the same user's others, too")
                Obstacle.open(folder)
                let record = try await running.pipeline.store.end(of: id)
                #expect(record.state == .published)
            }
        }
    }

    @Test("A worker that waits at the gate continues when it opens, is cancelled, or the service stops")
    func waiting() async throws {
        let gate = IntakeGate()
        await gate.waitUntilOpen()
        gate.set(IntakePause(code: .io, message: "", hint: ""))
        await gate.waitUntilPaused()
        let since = try #require(gate.pause?.since)
        gate.set(IntakePause(code: .diskFull, message: "", hint: ""))
        #expect(gate.pause?.since == since && gate.pause?.code == .diskFull, "one pause, for another reason")
        async let opened: Void = gate.waitUntilOpen()
        let cancelled = Task { await gate.waitUntilOpen() }
        cancelled.cancel()
        await cancelled.value
        #expect(gate.set(nil)?.code == .diskFull)
        await opened
    }
}
