import Foundation
import Testing

@testable import Tree

/// The loss of updates, because the log was cut or deleted, is detected.
@Suite(.timeLimit(.minutes(20))) struct CommitMarkTests {
    enum Loss: CaseIterable {
        case none, logGone, logCut, logGarbled, lastCommitCut, olderDatabase, databaseGone
    }

    @Test("acknowledged updates that are lost are detected at the next start", arguments: Loss.allCases)
    func loss(_ loss: Loss) async throws {
        try await withScratchFolder { folder in
            let killed = try await Self.killedStore(in: folder)
            let (database, log) = (killed + "/tree.sqlite", killed + "/tree.sqlite-wal")
            let manager = FileManager.default
            switch loss {
            case .none: break
            case .logGone: try manager.removeItem(atPath: log)
            case .logCut: try Self.cut(log) { $0 / 2 }
            case .logGarbled: try Self.garble(log, at: 0.3)
            case .lastCommitCut: try Self.cut(log) { $0 - 100 }
            case .olderDatabase:
                for name in ["tree.sqlite", "tree.sqlite-wal"] {
                    try manager.removeItem(atPath: "\(killed)/\(name)")
                    try manager.copyItem(atPath: "\(folder)/older-\(name)", toPath: "\(killed)/\(name)")
                }
            case .databaseGone: for path in [database, log] { try manager.removeItem(atPath: path) }
            }
            let store = try await Self.open(killed)
            if loss == .none {
                #expect(store.health.damage == nil)
                #expect(try await store.get("k") == 20)
            } else {
                #expect(store.health.damage?.code == .missingUpdates)
                #expect(store.health.damage?.message.contains("had reached 20") == true)
                #expect(store.health.damage?.hint?.contains("tree.mark") == true)
                await expectCode(.missingUpdates) { try await store.set("k", to: 99) }
                #expect(try await store.get("k") != 20, "reads go on")
            }
            await store.close()
            // The damage remains until an admin accepts it.
            let again = try await Self.open(killed)
            #expect(again.health.damage?.code == (loss == .none ? nil : .missingUpdates))
            await again.close()
            try manager.removeItem(atPath: killed + "/tree.mark")
            let accepted = try await Self.open(killed)
            #expect(accepted.health.damage == nil)
            try await accepted.set("k", to: 100)
            await accepted.close()
        }
    }

    @Test("a missing, torn or invalid mark is not reported as damage", arguments: ["", "torn", "garbage", "even"])
    func badMark(_ kind: String) async throws {
        try await withScratchFolder { folder in
            let killed = try await Self.killedStore(in: folder)
            let mark = URL(filePath: killed + "/tree.mark")
            switch kind {
            case "torn": try Self.garble(mark.path(), at: 0.01)
            case "garbage": try Data((0..<1024).map { UInt8($0 & 255) }).write(to: mark)
            case "even": try Self.cut(mark.path()) { _ in 512 }
            default: try FileManager.default.removeItem(at: mark)
            }
            let store = try await Self.open(killed)
            #expect(store.health.damage == nil)
            try await store.set("k", to: 21)
            await store.close()
            let line = Data("change 00000000000000000021 crc ".utf8)
            #expect(try Data(contentsOf: mark).range(of: line) != nil)
        }
    }

    @Test("a refused update, or one that changes nothing, does not move the mark")
    func neverAhead() async throws {
        try await withScratchFolder { folder in
            let store = try await Self.open(folder)
            try await store.set("a", to: 1)
            await expectCode(.preconditionFailed) { try await store.set("a", to: 2, if: [.absent("a")]) }
            try await store.set("nothing", to: nil)
            await store.close()
            #expect(try CommitMark(path: folder + "/tree.mark").sequence == 1)
        }
    }

    // MARK: Helpers

    private static func open(_ folder: String) async throws -> TreeStore {
        try await TreeStore(
            engine: try SQLiteEngine(path: folder + "/tree.sqlite"), mark: try CommitMark(path: folder + "/tree.mark"))
    }

    /// Copies the files as a kill would leave them after 20 updates, and also the database after 10, as `older-…`.
    private static func killedStore(in folder: String) async throws -> String {
        let manager = FileManager.default
        let killed = folder + "/killed"
        try manager.createDirectory(atPath: killed, withIntermediateDirectories: false)
        let store = try await open(folder)
        for round in 1...20 as ClosedRange<Int64> {
            try await store.set("k", to: .integer(round))
            for name in ["tree.sqlite", "tree.sqlite-wal"] where round == 10 {
                try manager.copyItem(atPath: "\(folder)/\(name)", toPath: "\(folder)/older-\(name)")
            }
        }
        for name in ["tree.sqlite", "tree.sqlite-wal", "tree.mark"] {
            try manager.copyItem(atPath: "\(folder)/\(name)", toPath: "\(killed)/\(name)")
        }
        await store.close()
        return killed
    }

    private static func cut(_ path: String, to length: (UInt64) -> UInt64) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.truncate(atOffset: length(try file.seekToEnd()))
        try file.close()
    }

    private static func garble(_ path: String, at share: Double) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[Int(Double(bytes.count) * share)] ^= 0x55
        try bytes.write(to: URL(filePath: path))
    }
}
