import API
import Cryptography
import Files
import Foundation
import Logging
import Model
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Keeping

@Suite("A store of an earlier version is upgraded, with a way back until that is confirmed")
struct StoreUpgradeTests {
    private static let file = "Storage/tree.sqlite"

    private func withEarlierStore(_ body: (Scratch) async throws -> Void) async throws {
        try await withScratch { scratch in
            try FileManager.default.copyItem(atPath: Fixture.path("store-0.1"), toPath: scratch.path + "/Storage")
            try await body(scratch)
        }
    }

    private func bytes(_ name: String, in scratch: Scratch) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(scratch.path)/\(name)"))
    }

    /// Performs the steps of a service on an earlier store.
    private func upgrade(_ storage: StorageFolder) async throws {
        try await DataUpgrade(storage, logger: Logger(label: "test")).run()
    }

    /// Opens the store, and performs the steps of its service.
    private func withOpened(_ scratch: Scratch, _ body: (StorageFolder) async throws -> Void) async throws {
        let storage = try await StorageFolder.open(path: scratch.path + "/Storage")
        do { try await body(storage) } catch {
            await storage.close()
            throw error
        }
        await storage.close()
    }

    /// The rows that an earlier program finds, whatever the bytes of the file.
    private func rows(in scratch: Scratch) async throws -> [String] {
        let tree = try await TreeStore(engine: SQLiteEngine(path: "\(scratch.path)/\(Self.file)"), isMaintained: false)
        let rows = try await TreeArchive(of: tree).read { sha256(of: $0.bytes) }.pieces
        await tree.close()
        return rows
    }

    @Test("The first sweep waits until the upgrade is confirmed; then the copy is deleted, and no step remains")
    func confirmed() async throws {
        try await withEarlierStore { scratch in
            try await withOpened(scratch) { storage in
                #expect(storage.upgrade.state == .upgrading && storage.upgrade.from == 1)
                #expect(storage.hold?.code == .upgradeUnconfirmed)
                #expect(throws: Failure.self) { try storage.confirmUpgrade() }
                try await upgrade(storage)
                #expect(storage.upgrade.state == .unconfirmed)
            }
            #expect(scratch.exists("Storage/upgrade/tree.sqlite"))
            try await withOpened(scratch) { storage in
                #expect(storage.upgrade.state == .unconfirmed && storage.hold != nil)
                try storage.confirmUpgrade()
                #expect(storage.upgrade.state == .current && storage.hold == nil)
                #expect(throws: Failure.self) { try storage.confirmUpgrade() }
            }
            #expect(!scratch.exists("Storage/upgrade"))
            try await withOpened(scratch) { #expect($0.upgrade.state == .current) }
            #expect(throws: Failure.self) { try StoreUpgrade.goBack(path: scratch.path + "/Storage") }
        }
    }

    @Test("The way back restores the tree row by row, of one age with the blobs")
    func back() async throws {
        try await withEarlierStore { scratch in
            let before = try await rows(in: scratch)
            let mark = try scratch.read("Storage/blobs/.store.json")
            try await withOpened(scratch) { storage in
                try await upgrade(storage)
                try await storage.tree.set("posts/-OaAaAaAaAaAaAaAaAaA/text", to: "new")
                #expect(throws: FileError.self) { try StoreUpgrade.goBack(path: scratch.path + "/Storage") }
            }
            try StoreUpgrade.goBack(path: scratch.path + "/Storage")
            #expect(try await rows(in: scratch) == before)
            #expect(try scratch.read("Storage/blobs/.store.json") == mark)
            #expect(!scratch.exists("Storage/upgrade"))
            try await withOpened(scratch) { storage in
                #expect(storage.fault == nil && storage.upgrade.state == .upgrading)
            }
        }
    }

    @Test("An upgrade that was cut off at any point continues, and so does the way back")
    func cutOff() async throws {
        try await withEarlierStore { scratch in
            let before = try await rows(in: scratch)
            // During the copy.
            try scratch.write("half", to: "Storage/upgrade/.tree.sqlite.part")
            try scratch.write("half", to: "Storage/upgrade/tree.sqlite")
            try await withOpened(scratch) { storage in
                #expect(storage.upgrade.state == .upgrading)
            }
            // Before the data were converted: the copy is not repeated.
            try await withOpened(scratch) { try await upgrade($0) }
            // During the restoration.
            let journal = try scratch.read("Storage/upgrade/journal.json")
            try scratch.write(
                journal.replacing("\"upgraded\"", with: "\"returning\""), to: "Storage/upgrade/journal.json")
            try FileManager.default.removeItem(atPath: "\(scratch.path)/\(Self.file)")
            let failure = await #expect(throws: Failure.self) {
                try await StorageFolder.open(path: scratch.path + "/Storage")
            }
            #expect(failure?.code == .upgradeReturning)
            try StoreUpgrade.goBack(path: scratch.path + "/Storage")
            #expect(try await rows(in: scratch) == before)
        }
    }

    @Test("A store of a later version is refused with that version's name, and not changed")
    func later() async throws {
        try await withEarlierStore { scratch in
            let tree = try await TreeStore(
                engine: SQLiteEngine(path: "\(scratch.path)/\(Self.file)"), isMaintained: false)
            try await tree.set(StoreNodes.store() / "format", to: 99)
            try await tree.set(StoreNodes.store() / "version", to: "7.2.0")
            await tree.close()
            let before = try bytes(Self.file, in: scratch)
            let failure = await #expect(throws: Failure.self) {
                try await StorageFolder.open(path: scratch.path + "/Storage")
            }
            #expect(failure?.code == .unsupportedFormat && failure?.message.contains("version 7.2.0") == true)
            #expect(try bytes(Self.file, in: scratch) == before)
        }
    }

    @Test("A new store has this version's format from its beginning")
    func new() async throws {
        try await withScratch { scratch in
            try await withOpened(scratch) { #expect($0.upgrade.state == .current && $0.hold == nil) }
            try await withOpened(scratch) { storage in
                let format = try await storage.tree.get(StoreNodes.store() / "format")
                #expect(format == .integer(StoreUpgrade.format))
                #expect(storage.upgrade.state == .current)
            }
        }
    }
}
