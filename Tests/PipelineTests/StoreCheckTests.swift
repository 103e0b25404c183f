import API
import Access
import Foundation
import Model
import Service
import Social
import Store
import TestSupport
import Testing
import Tree
import Uploads

@testable import Keeping

@Suite("Damage is found, named, and repaired where that is possible", .timeLimit(.minutes(20)))
struct StoreCheckTests {
    @Test("Each damage is found, named with its path, and repaired or left to people", arguments: StoreCheckDamage.all)
    func damage(_ damage: StoreCheckDamage) async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            let before = try await store.audit(.verify)
            #expect(before.findings.isEmpty, "a sound store: \(before.findings)")
            try await damage.inject(store)

            let found = try await store.audit(.verify)
            let named = found.findings.filter { $0.kind == damage.kind }
            #expect(!named.isEmpty, "\(found.findings)")
            #expect(named.allSatisfy { !$0.path.isEmpty && !$0.message.isEmpty && !$0.hint.isEmpty })
            #expect(found.last.findings[damage.kind.rawValue] == named.count)

            let originals = try await self.originals(store)
            let repaired = try await store.audit(.repair, changes: true, reads: true)
            let collected = try await store.audit(.gc, changes: true, maxShare: 1)
            let outcomes = (repaired.findings + collected.findings).filter { $0.kind == damage.kind }.map(\.outcome)
            let after = try await store.audit(.verify).findings.filter { $0.kind == damage.kind }
            switch damage.kind.remedy {
            case .repair: #expect(outcomes.contains(.repaired) && after.isEmpty, "\(repaired.findings), \(after)")
            case .gc: #expect(outcomes.contains(.deleted) && after.isEmpty, "\(collected.findings), \(after)")
            case .person:
                #expect(!after.isEmpty)
                #expect(try await self.originals(store) == originals, "an original is never touched")
            }
        }
    }

    @Test("No other finding is reported for such damage", arguments: StoreCheckDamage.single)
    func single(_ damage: StoreCheckDamage) async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            try await damage.inject(store)
            let found = try await store.audit(.check)
            #expect(found.findings.map(\.kind) == [damage.kind], "\(found.findings)")
            #expect(found.last.findings == [damage.kind.rawValue: 1])
            let repaired = try await store.audit(.repair, changes: true)
            // A repair may show that a sum is wrong, too.
            #expect(Set(repaired.findings.map(\.kind)) == [damage.kind], "\(repaired.findings)")
        }
    }

    @Test("Garbage is recognized if its key precedes another's, but was listed after it")
    func garbageOutOfOrder() async throws {
        try await withPipeline(runs: false) { running in
            let tree = running.storage.tree
            let names = GarbageNames()
            let entries: [(Int64, String)] = [(2, "later.jpg"), (1, "earlier.jpg"), (90_000, "new.jpg")]
            for (milliseconds, file) in entries {
                let key = PushID.first(at: 1_700_000_000_000 + .milliseconds(milliseconds)).key
                try await tree.set(
                    FileNodes.garbage() / key, to: ["after": 1, "blobs": ["0": .string("maria/p/\(file)")]])
                try await tree.snapshot { try names.update(in: $0) }
                #expect(names.contains("maria/p/\(file)"), "\(file)")
            }
        }
    }

    @Test("The list has enough kinds of damage, and each kind except those of the whole store")
    func kinds() {
        #expect(StoreCheckDamage.all.count >= 25)
        let kinds = Set(StoreCheckDamage.all.map(\.kind))
        let ofTheWhole: Set<FindingKind> = [.treeDamaged, .rulesUnreadable, .storesDiffer, .backupDamaged]
        let ofAccounts: Set<FindingKind> = [.accountUnreadable, .accountTwice, .accountUnlisted]
        #expect(Set(FindingKind.allCases).subtracting(kinds) == ofTheWhole.union(ofAccounts))
    }

    private func originals(_ store: StoreCheckStore) async throws -> [String: Data] {
        var originals: [String: Data] = [:]
        for owner in try await store.running.storage.blobs.userIDs() {
            for post in try await store.running.storage.blobs.postIDs(userID: owner) where post != "" {
                for name in try await store.running.storage.blobs.fileNames(userID: owner, postID: post)
                where name.hasPrefix("original") {
                    let path = "\(store.running.scratch.path)/Storage/blobs/\(owner)/\(post)/\(name)"
                    originals["\(post)/\(name)"] = try Data(contentsOf: URL(fileURLWithPath: path))
                }
            }
        }
        return originals
    }

    // MARK: Repairing

    @Test("A rendition that is rendered again has another name, and the old file is deleted after the grace period")
    func renderedAgain() async throws {
        try await withPipeline(settings: { $0.gracePeriod = .zero }) { running in
            let store = try await StoreCheckStore(running)
            let damaged = try await store.rendition("full-", of: store.post)
            try store.flip(damaged)
            let repaired = try await store.audit(.repair, changes: true, reads: true)
            #expect(repaired.last.mended == 1 && repaired.last.findings.isEmpty)
            #expect(
                try await store.rendition("full-", of: store.post) != damaged
                    || FileManager.default.fileExists(atPath: damaged))
            try await running.pipeline.janitor.sweep()
            #expect(!FileManager.default.fileExists(atPath: damaged))
            let record = try await store.record(store.post)
            let post = try #require(try await store.tree.get(PostNodes.post(store.post)))
            let shown = Set(try #require(PostPhotos.read(post)).flatMap { $0.renditions.values.map(\.fileName) })
            #expect(Set(record.photos[0]?.files.keys.map { $0 } ?? []) == shown, "the missing file is forgotten")
            #expect(try await store.audit(.verify).findings.isEmpty)
        }
    }

    @Test("No rendition is created from an original that is damaged, too")
    func damagedOriginal() async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            try store.flip(store.path(store.post, "original.jpg"))
            try store.delete(try await store.rendition("thumb-", of: store.post))
            let repaired = try await store.audit(.repair, changes: true)
            let finding = try #require(repaired.findings.first { $0.kind == .renditionMissing })
            #expect(finding.outcome == .failed && finding.failure?.contains("damaged") == true)
        }
    }

    @Test("Several renditions of one photo are rendered once")
    func together() async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            for prefix in ["thumb-", "full-", "small-"] {
                try store.delete(try await store.rendition(prefix, of: store.post))
            }
            let repaired = try await store.audit(.repair, changes: true)
            #expect(repaired.last.mended == 3)
            let files = try await running.storage.blobs.fileNames(userID: "maria", postID: store.post.string)
            #expect(files.filter { $0.hasPrefix("thumb-") }.count == 1, "\(files)")
        }
    }

    @Test("A plan changes nothing, and more garbage than is allowed stays")
    func plan() async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            let stray = "Storage/blobs/maria/\(store.post)/stray.jpg"
            try running.scratch.write([UInt8](repeating: 1, count: 1 << 20), to: stray)
            try store.delete(try await store.rendition("thumb-", of: store.other))
            #expect(try await store.audit(.gc).findings.map(\.kind) == [.orphanedFile])
            #expect(try await store.audit(.repair).findings.contains { $0.outcome != .found } == false)
            let failure = await #expect(throws: Failure.self) {
                try await store.audit(.gc, changes: true)
            }
            #expect(failure?.code == .tooMuchGarbage && failure?.hint.contains("--max-share") == true)
            #expect(running.scratch.exists(stray))
        }
    }

    @Test("The number of posts is exact: avatars and deleted posts do not count, a post without an upload does")
    func numbers() async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            #expect(try await store.audit(.check).last.done == 3)
            _ = try await running.pipeline.publisher.deletePost(store.other, by: .admin)
            #expect(try await store.audit(.check).last.done == 2)
            try await store.tree.set(
                "posts/-OaYyYyYyYyYyYyYyYyY",
                to: ["author": ["uid": "jan", "full_name": "jan"], "text": "By a client"])
            for action in [StoreCheckAction.check, .verify, .gc] {
                let last = try await store.audit(action).last
                #expect(last.done == 3 && last.total == 3, "\(action): \(last)")
            }
            #expect(try await store.audit(.check, user: "maria").last.done == 1)
        }
    }

    @Test("The files of one person can be audited alone")
    func oneUser() async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            try store.delete(try await store.rendition("thumb-", of: store.post))
            #expect(try await store.audit(.check, user: "jan").findings.isEmpty)
            #expect(try await store.audit(.check, user: "maria").findings.count == 1)
        }
    }

    // MARK: Reading in turns

    @Test("Recently read files are not read again; a limited request reads only its part")
    func turns() async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            let first = try await store.audit(.verify, unreadFor: .seconds(3600))
            #expect(first.last.read == first.last.bytes && first.last.read > 0)
            #expect(try await store.audit(.verify, unreadFor: .seconds(3600)).last.read == 0)
            running.clock.advance(by: 3_600_000)
            #expect(try await store.audit(.verify, unreadFor: .seconds(3600)).last.read == first.last.read)
            #expect(try await store.audit(.check).last.read == 0)
            #expect(try await store.audit(.verify, sample: 0).last.read == 0)
        }
    }

    @Test("Damage found by reading is named by check and repair without reading the rest, until it is repaired")
    func knownDamage() async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            let name = try #require(try await store.record(store.other).photos[0]?.fileName)
            let original = store.path(store.other, name)
            let whole = try Data(contentsOf: URL(fileURLWithPath: original))
            try store.flip(original)
            try store.flip(try await store.rendition("thumb-", of: store.post))
            #expect(try await store.audit(.check).findings.isEmpty, "the files have not been read")
            let kinds: [FindingKind] = [.originalDamaged, .renditionDamaged]
            #expect(Set(try await store.audit(.verify).findings.map(\.kind)) == Set(kinds))

            let check = try await store.audit(.check)
            #expect(Set(check.findings.map(\.kind)) == Set(kinds) && check.last.read < check.last.bytes)
            let repaired = try await store.audit(.repair, changes: true)
            #expect(repaired.last.mended == 1 && repaired.last.findings == ["original_damaged": 1])
            try whole.write(to: URL(fileURLWithPath: original))
            #expect(try await store.audit(.repair, changes: true).last.findings.isEmpty)
            #expect(try await store.audit(.check).last.read == 0, "all files are recorded as whole")
        }
    }

    @Test("Renditions of an earlier version are recorded from the first reading on")
    func learning() async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            try await store.write([UploadNodes.photo(0, of: store.post) / "files": nil])
            #expect(try await store.audit(.verify).findings.isEmpty)
            #expect(try await store.record(store.post).photos[0]?.files.isEmpty == false)
            try store.flip(try await store.rendition("full-", of: store.post))
            #expect(try await store.audit(.verify).findings.map(\.kind) == [.renditionDamaged])
        }
    }
}
