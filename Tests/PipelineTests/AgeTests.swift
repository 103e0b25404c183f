import API
import Foundation
import Keeping
import Logging
import Model
import TestSupport
import Testing
import Tree

@testable import Service
@testable import Store
@testable import Uploads

@Suite(
    "A restored backup never costs a photo: a tree and blobs of different ages are detected",
    .timeLimit(.minutes(20)))
struct AgeTests {
    /// A change that a user makes to a Storage folder while no service runs. A copy of an earlier day is in `backup/`.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// The code of the expected problem; nil when tree and blobs fit.
        let code: String?
        let act: @Sendable (Scratch) throws -> Void
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "nothing", code: nil) { _ in },
        Case(name: "the whole backup is put back", code: nil) { scratch in
            try scratch.replace("Storage", by: "backup")
        },
        Case(name: "an old tree is put back", code: "tree_older") { scratch in
            try scratch.replace("Storage/tree.sqlite", by: "backup/tree.sqlite")
            try scratch.remove("Storage/tree.mark")
        },
        Case(name: "an old tree is put back whose counter fits", code: "tree_older") { scratch in
            try scratch.replace("Storage/tree.sqlite", by: "backup/tree.sqlite")
            try scratch.remove("Storage/tree.mark")
            let old = try #require(StoreMark(json: Array(try scratch.read("backup/blobs/.store.json").utf8)))
            let new = try #require(StoreMark(json: Array(try scratch.read("Storage/blobs/.store.json").utf8)))
            let mark = StoreMark(id: old.id, counter: old.counter, change: new.change)
            try scratch.write(mark.json, to: "Storage/blobs/.store.json")
        },
        Case(name: "the tree is lost", code: "tree_lost") { scratch in
            try scratch.remove("Storage/tree.sqlite")
            try scratch.remove("Storage/tree.mark")
        },
        Case(name: "old blobs are put back", code: "blobs_older") { scratch in
            try scratch.replace("Storage/blobs", by: "backup/blobs")
        },
        Case(name: "the blobs are lost", code: "blobs_lost") { scratch in
            try scratch.remove("Storage/blobs")
        },
        Case(name: "the mark was left out of a copy", code: "blobs_lost") { scratch in
            try scratch.remove("Storage/blobs/.store.json")
        },
        Case(name: "the mark is broken", code: "blobs_lost") { scratch in
            try scratch.write("{", to: "Storage/blobs/.store.json")
        },
        Case(name: "the blobs are another store's", code: "different_stores") { scratch in
            try scratch.write(#"{"id":"-OaBcDeFgHiJkLmNoPqR","counter":3}"#, to: "Storage/blobs/.store.json")
        },
    ]

    @Test(arguments: cases)
    func noticed(_ example: Case) async throws {
        try await withScratch { scratch in
            let old = try await publish(in: scratch)
            try scratch.copy("Storage", to: "backup")
            let new = try await publish(in: scratch)
            let files = try scratch.originals()
            try example.act(scratch)
            let present = try scratch.originals()

            try await run(in: scratch) { running in
                #expect(running.storage.age.mismatch?.code.rawValue == example.code)
                #expect(running.pipeline.janitor.hold?.code.rawValue == example.code)
                // Recorded deletions wait as well.
                try await running.storage.tree.set(FileNodes.deleted(old), to: 0)
                try await running.storage.tree.set(PostNodes.post(old), to: nil)
                try await running.pipeline.janitor.sweep()
                try await running.pipeline.unclaimed.look()
                if example.code != nil { #expect(try scratch.originals() == present) }
            }
            guard example.code != nil else { return }
            // The problem persists.
            try await run(in: scratch) { running in
                #expect(running.storage.age.mismatch?.code.rawValue == example.code)
                try await running.pipeline.unclaimed.acceptAge()
                #expect(running.pipeline.janitor.hold == nil)
                try await running.pipeline.janitor.sweep()
                #expect(try scratch.originals() == present.filter { !$0.contains(old.description) })
                let listed = try await running.pipeline.unclaimed.list().compactMap { PostID($0.post) }
                #expect(example.code != "tree_older" || listed == [new])
            }
            try await run(in: scratch) { running in #expect(running.storage.age.mismatch == nil) }
            #expect(files.count == 2)
        }
    }

    @Test("Originals whose draft or reservation became a post after the old tree are kept")
    func drafts() async throws {
        try await withScratch { scratch in
            let ids = Shared<[PostID]>([])
            try await run(in: scratch) { running in
                for isDraft in [true, false] {
                    var request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
                    request.isDraft = isDraft
                    let record = try await running.reserve(request)
                    ids.change { $0.append(record.id) }
                }
            }
            try scratch.copy("Storage", to: "backup")
            try await run(in: scratch, lifetime: .seconds(3600)) { running in
                let (draft, reserved) = (ids.value[0], ids.value[1])
                var drafting = try await running.pipeline.receiver.resumeDraft(draft)
                try await drafting.receive(try Fixture.bytes("rgb-8.png"), named: "a.png")
                try await running.pipeline.store.drafts.publish(draft, text: nil)
                let record = try #require(await running.pipeline.store.record(of: reserved))
                var session = running.pipeline.receiver.resume(record)
                try await session.receive(try Fixture.bytes("rgb-8.png"), named: "b.png")
                _ = try await session.accept(text: "")
                for id in ids.value { #expect(try await running.pipeline.store.end(of: id).state == .published) }
            }
            try scratch.replace("Storage/tree.sqlite", by: "backup/tree.sqlite")
            try scratch.remove("Storage/tree.mark")
            let present = try scratch.originals()
            #expect(present.count == 2)
            for isAccepted in [false, true] {
                try await run(in: scratch, lifetime: .zero) { running in
                    if isAccepted { try await running.pipeline.unclaimed.acceptAge() }
                    try await running.pipeline.janitor.sweep()
                    #expect(try scratch.originals() == present, "accepted: \(isAccepted)")
                    let listed = try await running.pipeline.unclaimed.list().map(\.post)
                    #expect(Set(listed) == Set(ids.value.map(\.description)))
                }
            }
        }
    }

    @Test("A tree whose pages were written over costs no photo", arguments: 0..<6)
    func damaged(seed: UInt64) async throws {
        try await withScratch { scratch in
            for _ in 0..<3 { _ = try await publish(in: scratch) }
            let present = try scratch.originals()
            var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: scratch.path + "/Storage/tree.sqlite")))
            var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
            for _ in 0..<200 {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                bytes[4096 + Int(state % UInt64(bytes.count - 4096))] ^= UInt8(truncatingIfNeeded: state >> 32) | 1
            }
            try scratch.write(bytes, to: "Storage/tree.sqlite")
            // The service may report damage, and refuse all requests.
            try? await run(in: scratch, lifetime: .zero) { running in
                try? await running.pipeline.janitor.sweep()
                try? await running.pipeline.unclaimed.look()
                try? await running.pipeline.janitor.sweep()
            }
            #expect(try scratch.originals() == present)
        }
    }

    @Test("A crash between the tree and the blobs is not reported as a difference in age, however often it happens")
    func crashes() async throws {
        try await withScratch { scratch in
            _ = try await publish(in: scratch)
            for _ in 0..<3 {
                let before = try scratch.read("Storage/blobs/.store.json")
                try await run(in: scratch) { running in
                    #expect(running.storage.age.mismatch == nil)
                }
                let mark = try #require(StoreMark(json: Array(before.utf8)))
                let now = try #require(StoreMark(json: Array(try scratch.read("Storage/blobs/.store.json").utf8)))
                #expect(now.counter > mark.counter && now.id == mark.id)
                // Simulates that the last write was lost.
                let last = StoreMark(id: now.id, counter: now.counter - 1, change: mark.change)
                try scratch.write(last.json, to: "Storage/blobs/.store.json")
            }
        }
    }

    @Test("Blobs remember that the tree lacked updates, even without the tree's own mark")
    func cutLog() async throws {
        try await withScratch { scratch in
            _ = try await publish(in: scratch)
            try scratch.copy("Storage", to: "backup")
            let lost = try await publish(in: scratch)
            // Simulates that the last seconds were lost: the counters fit.
            try scratch.replace("Storage/tree.sqlite", by: "backup/tree.sqlite")
            try scratch.replace("Storage/blobs/.store.json", by: "backup/blobs/.store.json")
            try await run(in: scratch) { running in
                #expect(running.pipeline.janitor.hold?.code == .missingUpdates)
                #expect(running.storage.age.mismatch == nil)
                try await running.pipeline.janitor.sweep()
            }
            // Follows the hint of the problem.
            try scratch.remove("Storage/tree.mark")
            try await run(in: scratch) { running in
                #expect(running.pipeline.janitor.hold?.code == .treeOlder)
                let listed = try await running.pipeline.unclaimed.list().compactMap { PostID($0.post) }
                #expect(listed == [lost])
            }
        }
    }

    @Test("A tree in memory has no age, and the files beside it stay")
    func memory() async throws {
        try await withScratch { scratch in
            try scratch.write([1], to: "Storage/blobs/maria/-OaBcDeFgHiJkLmNoPqR/original.jpg")
            let storage = try await StorageFolder.open(path: scratch.path + "/Storage", engine: .memory)
            #expect(storage.age.mismatch == nil)
            await storage.close()
            #expect(!scratch.exists("Storage/blobs/.store.json"))
            #expect(try scratch.originals().count == 1)
        }
    }

    // MARK: -

    private func publish(in scratch: Scratch) async throws -> PostID {
        let id = Shared<PostID?>(nil)
        try await withPipeline(in: scratch) { running in
            let accepted = try await running.accept("rgb-8.png", by: "maria")
            #expect(try await running.pipeline.store.end(of: accepted).state == .published)
            id.change { $0 = accepted }
        }
        return try #require(id.value)
    }

    private func run(
        in scratch: Scratch, lifetime: Duration = .seconds(3600),
        _ body: @Sendable (RunningPipeline) async throws -> Void
    ) async throws {
        try await withPipeline(
            in: scratch,
            settings: { settings in
                settings.gracePeriod = .zero
                settings.draftLifetime = lifetime
            }, body)
    }
}

@Suite("Ids increase whatever the clock does")
struct LastIDTests {
    @Test(
        "A clock that stepped back over a restart produces no id that precedes an earlier one",
        arguments: [true, false])
    func restart(isStoppedWell: Bool) async throws {
        try await withScratch { scratch in
            let path = scratch.path + "/Storage"
            var request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
            request.text = "x"
            var ids: [PostID] = []
            for time in [2_000_000_000_000, 1_000_000_000_000, 1_500_000_000_000] as [Timestamp] {
                let storage = try await StorageFolder.open(path: path, clock: { time })
                let pipeline = Pipeline(
                    storage: storage, settings: PipelineSettings(workers: 1), logger: .init(label: "test"))
                for _ in 0..<2 {
                    if case .new(let record) = try await pipeline.store.reserve(request) { ids.append(record.id) }
                }
                if isStoppedWell {
                    ids.append(storage.ids.next())
                    await storage.close()
                } else {
                    await storage.tree.close()  // Simulates a crash: nothing more is noted.
                    try scratch.copy("Storage", to: "copy")
                    withExtendedLifetime(storage) {}
                }
                if !isStoppedWell { try scratch.replace("Storage", by: "copy") }
            }
            #expect(ids == ids.sorted())
            #expect(Set(ids).count == ids.count)
        }
    }
}

extension Scratch {
    fileprivate func copy(_ name: String, to other: String) throws {
        try? FileManager.default.removeItem(atPath: "\(path)/\(other)")
        try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(path)/\(other)")
    }

    fileprivate func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }

    fileprivate func replace(_ name: String, by other: String) throws {
        try remove(name)
        try copy(other, to: name)
    }

    /// The originals in the blob store, by their paths.
    fileprivate func originals() throws -> [String] {
        let root = "\(path)/Storage/blobs"
        let all = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.contains("/original") }.sorted()
    }
}
