import Foundation
import Testing
import TintypeStore

@Suite("Records of a device")
struct RecordStoreTests {
    /// The stores that a device may have.
    enum Kind: CaseIterable {
        case file
        case memory
    }

    private func with(_ kind: Kind, _ body: (any RecordStore) async throws -> Void) async throws {
        switch kind {
        case .memory: try await body(MemoryRecordStore())
        case .file:
            try await withFolder { folder in
                let store = try await SQLiteRecordStore(path: folder.appendingPathComponent("store.sqlite").path)
                try await body(store)
                await store.close()
            }
        }
    }

    @Test("Values are read as they were written, whatever their bytes", arguments: Kind.allCases)
    func values(kind: Kind) async throws {
        try await with(kind) { store in
            let keys = ["", "a", "a/b", "ä\u{0}b", String(repeating: "k", count: 5000)]
            let values: [[UInt8]] = [[], [0], Array("text".utf8), [UInt8](repeating: 255, count: 3 << 20)]
            for value in values {
                try await store.write(.appEnd) { writer in
                    for key in keys { try writer.set(value, for: RecordKey("t", key)) }
                }
                for key in keys {
                    #expect(try await store.read { try $0.value(RecordKey("t", key)) } == value)
                    #expect(try await store.read { try $0.value(RecordKey("u", key)) } == nil)
                }
            }
            try await store.write(.powerCut) { try $0.set(nil, for: RecordKey("t", "a")) }
            #expect(try await store.read { try $0.value(RecordKey("t", "a")) } == nil)
        }
    }

    @Test("A range is in the order of the bytes of its keys, from either end", arguments: Kind.allCases)
    func ranges(kind: Kind) async throws {
        try await with(kind) { store in
            let keys = ["a", "a/1", "a/2", "a/20", "a/3", "b", "é"]
            try await store.write(.appEnd) { writer in
                for key in keys.shuffled() { try writer.set(Array(key.utf8), for: RecordKey("t", key)) }
            }
            let cases: [(RecordRange, Bool, Int, [String])] = [
                (RecordRange(prefix: "a/"), false, .max, ["a/1", "a/2", "a/20", "a/3"]),
                (RecordRange(prefix: "a/"), true, 2, ["a/3", "a/20"]),
                (RecordRange(from: "a", to: "a/2"), false, .max, ["a", "a/1"]),
                (RecordRange(from: "b", to: "a"), false, .max, []),
                (RecordRange(from: "b", to: "\u{10FFFF}"), false, .max, ["b", "é"]),
                (RecordRange(prefix: "a/"), false, 0, []),
            ]
            for (range, isDescending, limit, expected) in cases {
                let found = try await store.read {
                    try $0.records("t", in: range, isDescending: isDescending, limit: limit)
                }
                if limit == .max { #expect(try await store.read { try $0.count("t", in: range) } == expected.count) }
                #expect(found.map(\.key) == expected && found.map(\.value) == expected.map { Array($0.utf8) })
            }
        }
    }

    @Test("A transaction that throws leaves nothing", arguments: Kind.allCases)
    func rollback(kind: Kind) async throws {
        struct Stop: Error {}
        try await with(kind) { store in
            try await store.write(.powerCut) { try $0.set([1], for: RecordKey("t", "a")) }
            await #expect(throws: Stop.self) {
                try await store.write(.powerCut) { writer in
                    try writer.set([2], for: RecordKey("t", "a"))
                    try writer.set([2], for: RecordKey("t", "b"))
                    #expect(try writer.value(RecordKey("t", "a")) == [2])
                    throw Stop()
                }
            }
            #expect(try await store.read { try $0.value(RecordKey("t", "a")) } == [1])
            #expect(try await store.read { try $0.value(RecordKey("t", "b")) } == nil)
        }
    }

    @Test("A closed store throws", arguments: Kind.allCases)
    func closed(kind: Kind) async throws {
        try await with(kind) { store in
            await store.close()
            await #expect(throws: RecordStoreError.closed) { try await store.read { _ in } }
            await #expect(throws: RecordStoreError.closed) { try await store.write(.appEnd) { _ in } }
        }
    }

    @Test("A file is there for the next opening, and a file that is no store stays as it is")
    func files() async throws {
        try await withFolder { folder in
            let path = folder.appendingPathComponent("store.sqlite").path
            let first = try await SQLiteRecordStore(path: path)
            try await first.write(.powerCut) { try $0.set([1], for: RecordKey("t", "a")) }
            let second = try await SQLiteRecordStore(path: path)
            #expect(try await second.read { try $0.value(RecordKey("t", "a")) } == [1])
            await first.close()
            await second.close()

            let other = folder.appendingPathComponent("photo.jpg")
            let bytes = Data(repeating: 7, count: 10_000)
            try bytes.write(to: other)
            do {
                _ = try await SQLiteRecordStore(path: other.path)
                Issue.record("a photo was opened as a store")
            } catch RecordStoreError.damaged {}
            #expect(try Data(contentsOf: other) == bytes)
            await #expect(throws: RecordStoreError.self) {
                _ = try await SQLiteRecordStore(path: folder.appendingPathComponent("none/store").path)
            }
        }
    }
}

/// Runs a body with an empty folder, which is deleted afterwards.
func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tt-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}
