import Foundation
import Synchronization
import Testing

@testable import Tree

@Suite("Room for deletions on a full disk", .timeLimit(.minutes(20)))
struct RoomReserveTests {
    private static let (byteCount, piece) = (256 << 10, 64 << 10)

    /// Runs a body with a store whose reserve is full, and with its disk.
    private func withReserve(_ body: (TreeStore, RoomReserve, FullDisk) async throws -> Void) async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.reserve"
            let reserve = RoomReserve(path: path, byteCount: Self.byteCount, pieceBytes: Self.piece)
            #expect(reserve.refill(free: reserve.requiredBytes))
            let disk = FullDisk(reserve: path)
            let store = try await TreeStore(engine: disk, reserve: reserve)
            for number in 0..<20 { try await store.set("a" / (try TreeKey(String(number))), to: 1) }
            try await body(store, reserve, disk)
            await store.close()
        }
    }

    @Test("The file has blocks of its own, and is created only if twice its size is free")
    func file() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.reserve"
            let reserve = RoomReserve(path: path, byteCount: Self.byteCount, pieceBytes: Self.piece)
            #expect(!reserve.refill(free: reserve.requiredBytes - 1) && !reserve.isGivenUp)
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(reserve.refill(free: reserve.requiredBytes))
            var status = stat()
            #expect(stat(path, &status) == 0 && Int(status.st_size) == Self.byteCount)
            #expect(Int(status.st_blocks) * 512 >= Self.byteCount)
            #expect(!reserve.refill(free: reserve.requiredBytes), "it is there")
            // A copied file may have lost its blocks, and a deleted file has none.
            try FileManager.default.removeItem(atPath: path)
            #expect(reserve.refill(free: reserve.requiredBytes))
        }
    }

    @Test("A deletion uses as much of the reserve as it needs; nothing else is written until the reserve is full again")
    func deletion() async throws {
        try await withReserve { store, reserve, disk in
            disk.isFull(untilReserveHas: Self.byteCount - 2 * Self.piece)
            await expectCode(.diskFull) { try await store.set("b", to: 1) }
            #expect(disk.reserveSize == Self.byteCount && !reserve.isGivenUp, "what makes no room gets none")

            try await store.set("a/0", to: nil)
            #expect(try await store.get("a/0") == nil)
            #expect(disk.reserveSize == Self.byteCount - 2 * Self.piece && reserve.isGivenUp)
            await expectCode(.diskFull) { try await store.set("b", to: 1) }
            var mixed = MultiPathUpdate()
            (mixed["a/1"], mixed["b"]) = (nil, 1)
            await expectCode(.diskFull) { [mixed] in try await store.update(mixed) }
            #expect(try await store.get("b") == nil)

            mixed.makesRoom = true
            try await store.update(mixed)
            try await store.transact { snapshot, update in
                update.makesRoom = true
                update["c"] = try snapshot.get("b")
                update["a/2"] = nil
            }
            #expect(try await store.get("c") == 1)
            #expect(disk.reserveSize == Self.byteCount - 2 * Self.piece, "there is room left of it")

            disk.isFull(untilReserveHas: .max)
            #expect(!reserve.refill(free: reserve.requiredBytes - 1) && reserve.isGivenUp)
            await expectCode(.diskFull) { try await store.set("d", to: 1) }
            #expect(reserve.refill(free: reserve.requiredBytes) && !reserve.isGivenUp)
            #expect(disk.reserveSize == Self.byteCount)
            try await store.set("d", to: 1)
        }
    }

    @Test("A deletion that is recorded by a key uses the reserve only if there is something to delete")
    func recorded() async throws {
        try await withReserve { store, reserve, disk in
            let own = Namespace(reserved: "test")
            let nodes = RequestNodes(records: TreePath(["records"], in: own), order: TreePath(["order"], in: own))
            let ids = PushIDGenerator()
            func delete(_ path: TreePath, _ key: TreeKey) async throws {
                var update = JSONUpdate(deleting: path)
                try update.note(RequestKey(key, of: "maria", for: "content", at: nodes), making: ids.next())
                try await store.update(update)
            }
            try await delete("none", "one")
            disk.isFull(untilReserveHas: Self.byteCount - Self.piece)
            await expectCode(.diskFull) { try await delete("none", "two") }
            #expect(disk.reserveSize == Self.byteCount && !reserve.isGivenUp)

            try await delete("a/0", "three")
            #expect(try await store.get("a/0") == nil)
            #expect(disk.reserveSize == Self.byteCount - Self.piece)
            await expectCode(.diskFull) { try await delete("a/0", "four") }
            #expect(disk.reserveSize == Self.byteCount - Self.piece)
        }
    }

    @Test("Concurrent deletions use one piece together")
    func together() async throws {
        try await withReserve { store, _, disk in
            disk.isFull(untilReserveHas: Self.byteCount - Self.piece)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask { try await store.set("a" / (try TreeKey(String(number))), to: nil) }
                }
                try await group.waitForAll()
            }
            #expect(try await store.get("a") == nil)
            #expect(disk.reserveSize == Self.byteCount - Self.piece)
        }
    }

    @Test("A deletion is refused as well when the reserve is used up")
    func usedUp() async throws {
        try await withReserve { store, reserve, disk in
            disk.isFull(untilReserveHas: -1)
            await expectCode(.diskFull) { try await store.set("a/0", to: nil) }
            #expect(disk.reserveSize == 0 && reserve.isGivenUp)
            await expectCode(.diskFull) { try await store.set("a/0", to: nil) }
            disk.isFull(untilReserveHas: 0)
            try await store.set("a/0", to: nil)
        }
    }

    @Test("The next process detects that a part was given up, once it has checked the free space")
    func nextProcess() async throws {
        try await withReserve { store, reserve, disk in
            disk.isFull(untilReserveHas: Self.byteCount - Self.piece)
            try await store.set("a/0", to: nil)
            let next = RoomReserve(path: disk.reservePath, byteCount: Self.byteCount, pieceBytes: Self.piece)
            #expect(!next.isGivenUp, "it can start")
            #expect(!next.refill(free: 0) && next.isGivenUp)
            #expect(next.refill(free: next.requiredBytes) && !next.isGivenUp)
        }
    }
}

/// A disk in memory that has no room for a transaction while its reserve is too large.
private final class FullDisk: Engine {
    private let base = MemoryEngine()
    private let limit = Mutex(Int.max)
    let reservePath: String
    var logBytes: Int { base.logBytes }

    init(reserve: String) { reservePath = reserve }

    /// The size of the reserve in bytes; -1 without a reserve.
    var reserveSize: Int {
        var status = stat()
        return stat(reservePath, &status) == 0 ? Int(status.st_size) : -1
    }

    func isFull(untilReserveHas byteCount: Int) { limit.withLock { $0 = byteCount } }

    func read<Result: Sendable>(
        _ size: ReadSize, _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        try await base.read(size, body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws(TreeError) -> Result {
        guard reserveSize <= limit.withLock({ $0 }) else {
            // The group has begun, as with SQLite, which detects a full disk at the end.
            throw TreeError(.diskFull, "full, on purpose")
        }
        return try await base.write(body, committed: committed)
    }

    func close() async { await base.close() }
}
