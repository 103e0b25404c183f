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
import Uploads

@testable import Backup

@Suite("A store is restored to any moment that its backups contain", .timeLimit(.minutes(20)))
struct RestoreTests {
    @Test("Each change between two backups can be restored: the trees are as they were then")
    func moments() async throws {
        try await withScratch { scratch in
            try await withPipeline(in: scratch) { running in
                let store = try await BackedUpStore(running)
                try await store.backup()
                var moments: [(token: SyncToken, values: [TreeValue?])] = []
                func note() async throws {
                    moments.append(
                        try await store.tree.snapshot { snapshot in
                            (
                                try snapshot.token,
                                try BackedUpStore.trees.map { try snapshot.get(TreePath([], in: $0)) }
                            )
                        })
                }
                let id = try await store.post("First #autumn", by: "jan")
                try await note()
                try await store.tree.set("likes" / id.key / "maria", to: .integer(5))
                try await note()
                try await store.tree.set(
                    "comments" / id.key / "-OaBbBbBbBbBbBbBbBbB",
                    to: ["author": ["uid": "jan", "full_name": "jan"], "text": "Nice @maria", "timestamp": 1])
                try await note()
                try await store.tree.set("people/jan/following/maria", to: nil)
                try await note()
                try await store.tree.set(PostNodes.post(id), to: nil)
                try await note()
                // This change is withdrawn by the same commit.
                try await store.tree.set("likes" / id.key / "jan", to: .integer(6))
                #expect(try await store.tree.get("likes" / id.key / "jan") == nil)
                try await note()
                try await store.backup()
                for (index, moment) in moments.enumerated() {
                    let target = "\(scratch.path)/moment-\(index)"
                    let source = try BackupFolder(path: store.folder)
                    _ = try await Restore(from: source, .token(moment.token.sequence), to: target).run { _ in }
                    let tree = try await TreeStore(
                        engine: SQLiteEngine(path: "\(target)/tree.sqlite"), isMaintained: false)
                    #expect(try await tree.token == moment.token)
                    let values = try await BackedUpStore.values(of: tree)
                    for (index, value) in values.enumerated() {
                        // A withdrawn notification may be listed twice.
                        let differences = value.differences(from: moment.values[index])
                            .filter { !$0.hasPrefix("/noticed/withdrawn/") }
                        #expect(differences.isEmpty, "\(BackedUpStore.trees[index]) at \(moment.token)")
                    }
                    await tree.close()
                }
            }
        }
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let file: @Sendable (String) -> Bool
        let change: @Sendable (inout [UInt8]) -> Void
    }

    private static let damages = [
        Damage(testDescription: "a flipped bit of an original", file: { $0.contains("/original") }) { $0[100] ^= 1 },
        Damage(testDescription: "a cut rendition", file: { $0.contains("/thumb") }) { $0.removeLast(10) },
        Damage(testDescription: "an empty piece", file: { $0.contains("pieces/") }) { $0 = [] },
        Damage(testDescription: "a flipped bit of a piece", file: { $0.contains("pieces/") }) { $0[20] ^= 1 },
        Damage(testDescription: "a changed other file", file: { $0.contains("others/") }) { $0.append(1) },
    ]

    private static func isFile(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }

    @Test("A damaged backup is detected, and never restored", arguments: damages)
    func damage(_ damage: Damage) async throws {
        try await withScratch { scratch in
            try await withPipeline(in: scratch) { running in
                let store = try await BackedUpStore(running)
                try await store.backup()
                let files = try #require(FileManager.default.enumerator(atPath: store.folder)?.allObjects as? [String])
                let name = try #require(
                    files.sorted().first {
                        $0.split(separator: "/").count > 2 && damage.file($0) && !$0.hasSuffix(".json")
                            && Self.isFile("\(store.folder)/\($0)")
                    })
                let url = URL(fileURLWithPath: "\(store.folder)/\(name)")
                var bytes = Array(try Data(contentsOf: url))
                damage.change(&bytes)
                try Data(bytes).write(to: url)
                let findings = Shared<[FindingDocument]>([])
                let source = try BackupFolder(path: store.folder)
                _ = try await BackupVerification(of: source).run { step in
                    if case .finding(let finding) = step { findings.change { $0.append(finding) } }
                }
                #expect(findings.value.map(\.path) == [name])
                let restored = Shared<[FindingDocument]>([])
                let target = "\(scratch.path)/damaged"
                do {
                    _ = try await Restore(from: source, to: target).run { step in
                        if case .finding(let finding) = step { restored.change { $0.append(finding) } }
                    }
                    #expect(restored.value.count == 1)
                } catch let error as Failure {
                    #expect(error.code == .backupDamaged)
                    await #expect(throws: Failure.self) { try await StorageFolder.open(path: target) }
                }
            }
        }
    }

    @Test("Mismatched folders, a bad file and an existing store are refused, and nothing is changed")
    func refusals() async throws {
        try await withScratch { scratch in
            try await withPipeline(in: scratch) { running in
                let store = try await BackedUpStore(running)
                try await store.backup()
                try scratch.write("mine", to: "full/file.txt")
                try scratch.write("mine", to: "cut.tar")
                func code(_ body: () async throws -> Void) async -> ErrorCode? {
                    do {
                        try await body()
                        return nil
                    } catch {
                        return Failure(error).code
                    }
                }
                let full = scratch.path + "/full"
                #expect(await code { try await store.backup(to: full) } == .notBackup)
                #expect(await code { _ = try BackupFolder(path: full) } == .notBackup)
                #expect(await code { _ = try BackupFolder(path: store.folder, of: "another") } == .differentStores)
                #expect(await code { _ = try await Restore.source(scratch.path + "/cut.tar") } == .notBackup)
                #expect(await code { _ = try await Restore.source(scratch.path + "/none") } == .notFound)
                let source = try BackupFolder(path: store.folder)
                #expect(await code { _ = try await Restore(from: source, to: full).run { _ in } } == .exists)
                #expect(
                    await code { _ = try await Restore(from: source, .token(0), to: full).run { _ in } } == .notFound)
                let far = RestorePoint.token(1 << 40)
                #expect(await code { _ = try await Restore(from: source, far, to: full).run { _ in } } == .notFound)
                #expect(try scratch.read("full/file.txt") == "mine")
                #expect(try scratch.read("cut.tar") == "mine")
            }
        }
    }

    @Test("An interrupted restore locks the store for everything else, and can be continued")
    func brokenOff() async throws {
        try await withScratch { scratch in
            try await withPipeline(in: scratch) { running in
                let store = try await BackedUpStore(running)
                try await store.backup()
                let source = try BackupFolder(path: store.folder)
                let target = "\(scratch.path)/late"
                await #expect(throws: CancellationError.self) {
                    _ = try await Restore(from: source, to: target).run { step in
                        if case .step(let step) = step, step.phase == .others { throw CancellationError() }
                    }
                }
                await #expect(throws: Failure.self) { try await StorageFolder.open(path: target) }
                let last = try await Restore(from: source, to: target).run { _ in }
                #expect(last.copied == 2)  // The other files: those of the blob store are already copied.
                let storage = try await StorageFolder.open(path: target)
                #expect(storage.hold == nil)
                await storage.close()
            }
        }
    }

    @Test("Old backups are deleted with the files that only they use; the others can still be restored")
    func pruning() async throws {
        try await withScratch { scratch in
            try await withPipeline(in: scratch, settings: { $0.gracePeriod = .zero }) { running in
                let store = try await BackedUpStore(running)
                let id = try await store.post("Soon gone")
                try await store.backup()
                try await store.tree.set(PostNodes.post(id), to: nil)
                try await running.pipeline.janitor.sweep()
                try await store.post("Stays")
                try await store.backup()
                let copy = "backups/blobs/maria/\(id)"
                #expect(scratch.exists(copy))
                let removed = try await BackupFolder(toChange: store.folder).prune { _, age in age >= 1 }
                #expect(removed.backups == 1 && removed.files > 0 && !scratch.exists(copy))
                let verified = try await BackupVerification(of: BackupFolder(path: store.folder)).run { _ in }
                #expect(verified.findings == 0)
                try await withRestored(store.folder, in: scratch) { restored, _, findings in
                    #expect(findings.isEmpty)
                    let found = try await restored.audit()
                    #expect(found.isEmpty, "\(found)")
                }
            }
        }
    }

    @Test(
        "A line with a path out of the folder is refused",
        arguments: [
            "../a/b", "a/../../b", "/etc/passwd", "a//b", "", ".", "a/%00", "a/%2e%2e/b",
        ])
    func lines(_ path: String) {
        let digest = String(repeating: "0", count: 64)
        #expect(FileLine("\(digest) 1 - \(path)") == nil)
        #expect(FileLine("\(digest) -1 - a") == nil && FileLine("0 1 - a") == nil)
    }

    @Test(
        "Headers of an archive are read as they were written, whatever the name and the size",
        arguments: [
            ("a", 0), (String(repeating: "n", count: 100), 1), (String(repeating: "n", count: 300), 5),
            ("ä/ö", 1 << 40),
        ])
    func headers(_ name: String, _ byteCount: Int) throws {
        let header = TarHeader(name: name, byteCount: byteCount)
        var bytes = header.bytes
        var read = try #require(TarHeader(block: Array(bytes.prefix(512))))
        if read.kind == .extended {
            bytes.removeFirst(512)
            let records = Array(bytes.prefix(read.byteCount))
            bytes.removeFirst(read.byteCount + TarHeader.padding(after: read.byteCount))
            read = try #require(TarHeader(block: Array(bytes.prefix(512))))
            read.extend(by: records)
        }
        #expect(read.name == name && read.byteCount == byteCount)
    }
}
