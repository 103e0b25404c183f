import API
import Files
import Foundation
import TestSupport
import Testing
import Tree
import Uploads

@testable import Backup

@Suite("A backup that depends on damaged ones", .timeLimit(.minutes(20)))
struct BackupMendingTests {
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let part: @Sendable (BackupState, BackupFolder) async throws -> String
        /// The change of the file's bytes; it returns nil if the file is deleted.
        let change: @Sendable ([UInt8]) -> [UInt8]?
        /// Whether only a verification detects the damage.
        var isHidden = false
    }

    private static let original: @Sendable (BackupState, BackupFolder) async throws -> String = { state, folder in
        var list = folder.list(state.blobs)
        while let line = try await list.next() {
            if line.path.contains("/original") { return BackupLayout.blob(line).joined(separator: "/") }
        }
        return ""
    }
    private static let other: @Sendable (BackupState, BackupFolder) async throws -> String = { state, folder in
        var list = folder.list(state.others)
        return try await list.next().map { BackupLayout.other($0.sha256).joined(separator: "/") } ?? ""
    }
    private static func piece(
        _ of: @escaping @Sendable (BackupState) -> [String]
    ) -> @Sendable (BackupState, BackupFolder) async throws -> String {
        { state, _ in BackupLayout.piece(of(state).first ?? "").joined(separator: "/") }
    }
    private static let cut: @Sendable ([UInt8]) -> [UInt8]? = { $0.dropLast(5) }
    private static let flipped: @Sendable ([UInt8]) -> [UInt8]? = { bytes in
        bytes.enumerated().map { $0.offset == bytes.count / 2 ? $0.element ^ 1 : $0.element }
    }

    private static let damages = [
        Damage(testDescription: "a photo that is gone", part: original) { _ in nil },
        Damage(testDescription: "a cut photo", part: original, change: cut),
        Damage(testDescription: "a flipped bit of a photo", part: original, change: flipped, isHidden: true),
        Damage(testDescription: "another file that is gone", part: other) { _ in nil },
        Damage(testDescription: "another file that is cut", part: other, change: cut),
        Damage(testDescription: "a list that is gone", part: piece(\.blobs)) { _ in nil },
        Damage(testDescription: "a cut list", part: piece(\.blobs), change: cut),
        Damage(testDescription: "a flipped bit of a list", part: piece(\.others), change: flipped, isHidden: true),
        Damage(testDescription: "a cut piece of the tree", part: piece(\.tree), change: cut),
        Damage(testDescription: "a flipped bit of the tree", part: piece(\.tree), change: flipped, isHidden: true),
    ]

    @Test("The next backup copies missing files, so that all backups are whole again", arguments: damages)
    func mended(_ damage: Damage) async throws {
        try await withScratch { scratch in
            try await withPipeline(in: scratch) { running in
                let store = try await BackedUpStore(running)
                try await store.backup()
                let folder = try BackupFolder(path: store.folder)
                let name = try await damage.part(try await folder.newest(), folder)
                let path = "\(store.folder)/\(name)"
                let whole = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
                if let bytes = damage.change(whole) {
                    try Data(bytes).write(to: URL(fileURLWithPath: path))
                } else {
                    try FileManager.default.removeItem(atPath: path)
                }
                if damage.isHidden { #expect(try await verified(folder).contains(name)) }
                #expect(try await store.backup().findings.isEmpty)
                #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path))) == whole)
                #expect(try await verified(folder).isEmpty)
                #expect(!scratch.exists("backups/damaged.json"))
                try await withRestored(store.folder, in: scratch) { restored, _, findings in
                    #expect(findings.isEmpty)
                    let found = try await restored.audit()
                    #expect(found.isEmpty, "\(found)")
                }
            }
        }
    }

    @Test("A good copy stays if its file has been damaged since")
    func goodCopy() async throws {
        try await withPipeline { running in
            let store = try await BackedUpStore(running)
            try await store.backup()
            let folder = try BackupFolder(path: store.folder)
            let state = try await folder.newest()
            let copy = try await Self.original(state, folder)
            let whole = try Data(contentsOf: URL(fileURLWithPath: "\(store.folder)/\(copy)"))
            // Without its lists, the copies are unknown.
            for piece in state.blobs {
                try FileManager.default.removeItem(
                    atPath: "\(store.folder)/\(BackupLayout.piece(piece).joined(separator: "/"))")
            }
            let file = URL(fileURLWithPath: "\(running.scratch.path)/Storage/\(copy)")
            try Data(try #require(Self.flipped(Array(whole)))).write(to: file)
            try await store.backup()
            #expect(try Data(contentsOf: URL(fileURLWithPath: "\(store.folder)/\(copy)")) == whole)
            #expect(try await verified(folder).isEmpty)
        }
    }

    @Test("A description that is cut is reported, stops neither a backup nor a restore, and prevents pruning")
    func description() async throws {
        try await withScratch { scratch in
            try await withPipeline(in: scratch) { running in
                let store = try await BackedUpStore(running)
                try await store.backup()
                let folder = try BackupFolder(path: store.folder)
                let name = "backups/\(try await folder.newest().token).json"
                try scratch.write("{\"format\":1,", to: "backups/\(name)")
                await #expect(throws: Failure.self) { try await folder.newest() }
                try await store.post("Later")
                let made = try await store.backup()
                #expect(made.last.finished && made.findings.map(\.path) == [name])
                #expect(try await folder.states().count == 1)
                #expect(try await verified(folder) == [name])
                await #expect(throws: Failure.self) {
                    _ = try await BackupFolder(toChange: store.folder).prune { _, age in age >= 1 }
                }
                try await withRestored(store.folder, in: scratch) { restored, _, findings in
                    #expect(findings.map(\.path) == [name])
                    let found = try await restored.audit()
                    #expect(found.isEmpty, "\(found)")
                }
            }
        }
    }

    /// Returns the paths of a verification's findings.
    private func verified(_ folder: BackupFolder) async throws -> [String] {
        let findings = Shared<[FindingDocument]>([])
        _ = try await BackupVerification(of: folder).run { step in
            if case .finding(let finding) = step { findings.change { $0.append(finding) } }
        }
        return findings.value.map(\.path)
    }
}
