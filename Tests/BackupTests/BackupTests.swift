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
import Uploads

@testable import Backup

@Suite("Backups of a store that is in use", .timeLimit(.minutes(20)))
struct BackupTests {
    @Test("A restored store has the trees, photos and other files of the backup", arguments: ["", ".tar"])
    func roundTrip(_ suffix: String) async throws {
        try await withScratch { scratch in
            try await withPipeline(in: scratch) { running in
                let store = try await BackedUpStore(running)
                let path = store.folder + suffix
                let made = try await store.backup(to: path)
                #expect(made.findings.isEmpty && made.last.finished && made.last.copied > 0)
                let before = try await store.values()
                try await withRestored(path, in: scratch) { restored, last, findings in
                    #expect(findings.isEmpty && last.files == made.last.files)
                    let after = try await BackedUpStore.values(of: restored.storage.tree)
                    // The restored service counts its age when it starts.
                    for (index, value) in after.enumerated() where index != 1 {
                        let differences = value.differences(from: before[index])
                        #expect(differences.isEmpty, "\(BackedUpStore.trees[index])")
                    }
                    #expect(after[1]?["uploads"] == before[1]?["uploads"])
                    let found = try await restored.audit()
                    #expect(found.isEmpty, "\(found)")
                    #expect(restored.storage.hold == nil)
                    let read = restored.scratch.read
                    #expect(try read("Storage/failed/unknown_format/maria/50% of\na.txt") == "not a photo")
                    #expect(try read("Storage/tintype.json") == "{}")
                }
            }
        }
    }

    @Test("The store remembers its last backup, and the folder its last verification without a finding")
    func records() async throws {
        try await withScratch { scratch in
            try await withPipeline(in: scratch) { running in
                let store = try await BackedUpStore(running)
                let storage = running.storage.root
                #expect(BackupRecord.last(in: storage) == nil)
                try await store.backup()
                let record = try #require(BackupRecord.last(in: storage))
                #expect(record.path == store.folder && record.findings == 0)
                #expect(record.madeAt == (try await BackupFolder(path: store.folder).newest()).madeAt.milliseconds)
                let last = LastVerification()
                #expect(await last.mark(of: store.folder) == nil, "it was not verified yet")
                _ = try await BackupVerification(of: BackupFolder(path: store.folder)).run { _ in }
                let mark = try #require(await last.mark(of: store.folder))
                #expect(mark.verifiedAt >= record.madeAt)
                // A damaged backup keeps the time of the last good verification.
                let pieces = try #require(FileManager.default.enumerator(atPath: store.folder + "/pieces"))
                let piece = try #require(pieces.compactMap { $0 as? String }.first { $0.hasSuffix(".gz") })
                try Data("damaged".utf8).write(to: URL(filePath: "\(store.folder)/pieces/\(piece)"))
                let step = try await BackupVerification(of: BackupFolder(path: store.folder)).run { _ in }
                #expect(step.findings > 0)
                #expect(await last.mark(of: store.folder) == mark)
            }
        }
    }

    @Test("The rows of a restored tree equal those of the backup, byte for byte, even if uploads continue during it")
    func underLoad() async throws {
        try await withScratch { scratch in
            let folder = Shared("")
            try await withPipeline(in: scratch) { running in
                let store = try await BackedUpStore(running)
                folder.change { $0 = store.folder }
                let load = Task {
                    for number in 0..<12 {
                        let id = try await store.post("\(number)", by: number % 2 == 0 ? "maria" : "jan")
                        if number % 3 == 0 { try await store.tree.set(PostNodes.post(id), to: nil) }
                    }
                }
                for _ in 0..<3 { try await store.backup() }
                try await load.value
            }
            let source = try BackupFolder(path: folder.value)
            for state in try await source.states() {
                let target = "\(scratch.path)/at-\(state.token)"
                _ = try await Restore(from: source, .token(state.token), to: target).run { step in
                    if case .finding(let finding) = step { Issue.record("\(finding)") }
                }
                let tree = try await TreeStore(engine: SQLiteEngine(path: "\(target)/tree.sqlite"), isMaintained: false)
                let rows = try await TreeArchive(of: tree).read { sha256(of: $0.bytes) }
                #expect(rows.pieces == state.tree && rows.token.sequence == state.token)
                await tree.close()
                let place = Scratch(path: "\(scratch.path)/open-\(state.token)")
                try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: true)
                try FileManager.default.moveItem(atPath: target, toPath: "\(place.path)/Storage")
                try await withPipeline(in: place, runs: false) { running in
                    let findings = try await running.audit()
                    #expect(findings.isEmpty, "\(findings)")
                }
            }
        }
    }

    @Test("A second backup copies new files, and nothing else")
    func increment() async throws {
        try await withPipeline { running in
            let store = try await BackedUpStore(running)
            let first = try await store.backup().last
            let second = try await store.backup().last
            #expect(second.copied == 0 && second.files == first.files && second.bytes == first.bytes)
            try await store.post("Another one", by: "jan")
            let third = try await store.backup().last
            #expect(third.copied == third.files - first.files && third.copied > 0)
            #expect(try await BackupFolder(path: store.folder).states().count >= 2)
        }
    }

    @Test("An interrupted backup is continued: files that were recorded as durable are not copied again")
    func brokenOff() async throws {
        try await withPipeline { running in
            let store = try await BackedUpStore(running)
            for number in 0..<3 { try await store.post("\(number)") }
            let whole = try await store.backup().last
            let path = "\(running.scratch.path)/again"
            // The process ends after the first record of its progress.
            do {
                let folder = try BackupFolder(path: path, of: try #require(running.storage.age.storeID))
                var list = FileListWriter { try folder.keep($0) }
                var known = try await BackupFolder(path: store.folder).newestList()
                while let line = try await known.next(), list.fileCount < 5 {
                    let names = line.names
                    let blob = try await running.storage.blobs.open(
                        BlobName(userID: names[0], postID: names[1], fileName: names[2]))
                    try await list.add(try folder.copyBlob(blob, to: line.path, expecting: nil))
                }
                try await folder.checkpoint(try await list.piecesSoFar())
                folder.release()
            }
            let rest = try await store.backup(to: path).last
            #expect(rest.files == whole.files && rest.copied - 2 == whole.files - 5)  // Two other files.
        }
    }

    @Test(
        "A backup that was interrupted before its folder had a mark starts again; a folder with other files is refused",
        arguments: [
            ([], nil), ([".12345678901234567890.part"], nil), (["notes.part"], .notBackup),
            ([".1.part", "notes"], .notBackup),
        ] as [([String], ErrorCode?)])
    func brokenOffEarly(files: [String], refusal: ErrorCode?) async throws {
        try await withPipeline { running in
            let store = try await BackedUpStore(running)
            let path = "\(running.scratch.path)/begun"
            for name in ["lock"] + files { try running.scratch.write("", to: "begun/\(name)") }
            do {
                _ = try BackupFolder(path: path)
                Issue.record("there is no backup to read")
            } catch {
                #expect(Failure(error).message == "\(path) is no folder of backups")
            }
            do {
                let made = try await store.backup(to: path)
                #expect(refusal == nil && made.last.finished)
            } catch {
                #expect(Failure(error).code == refusal, "\(error)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            #expect(files.filter(names.contains) == (refusal == nil ? [] : files))
        }
    }

    @Test("Sweeps wait until a backup is complete")
    func sweeps() async throws {
        try await withPipeline(settings: { $0.gracePeriod = .zero }) { running in
            let store = try await BackedUpStore(running)
            let id = try await store.post("Soon gone")
            let pause = await running.storage.sweeps.pause()
            try await store.tree.set(PostNodes.post(id), to: nil)
            try await running.pipeline.janitor.sweep()
            let folder = "Storage/blobs/maria/\(id)"
            #expect(running.scratch.exists(folder))
            withExtendedLifetime(pause) {}
        }
    }

    @Test("Sweeps run again after a backup")
    func sweepsAfter() async throws {
        try await withPipeline(settings: { $0.gracePeriod = .zero }) { running in
            let store = try await BackedUpStore(running)
            let id = try await store.post("Soon gone")
            try await store.backup()
            try await store.tree.set(PostNodes.post(id), to: nil)
            try await running.pipeline.janitor.sweep()
            #expect(!running.scratch.exists("Storage/blobs/maria/\(id)"))
        }
    }
}
