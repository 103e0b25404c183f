import Files
import Foundation
import Store
import Synchronization
import TestSupport
import Testing

/// A store in memory: it shows that the tests below ask for nothing that only a folder can do.
private final class MemoryBlobStore: BlobStore {
    private struct State {
        var blobs: [BlobName: [UInt8]] = [:]
        var mark: [UInt8]?
    }

    private let state = Mutex(State())
    private let staging: Directory

    init(staging: Directory) { self.staging = staging }

    func publish(_ staged: StagedFile, as name: BlobName) throws(FileError) {
        try staged.publish(as: "published", in: staging)
        let bytes = try staging.file("published").readAll(maxBytes: .max)
        try staging.remove("published")
        state.withLock { $0.blobs[name] = bytes }
    }

    func write(_ blobs: [(name: BlobName, bytes: [UInt8])]) -> [Int] {
        state.withLock { state in
            blobs.map { name, bytes in
                let kept = state.blobs[name] ?? bytes
                state.blobs[name] = kept
                return kept.count
            }
        }
    }

    func open(_ name: BlobName) throws(FileError) -> FileReader {
        guard let bytes = state.withLock({ $0.blobs[name] }) else { throw FileError(.notFound, "\(name) is missing") }
        let file = try ScratchFile(in: staging)
        try file.append(bytes)
        return file.reader
    }

    func fileNames(userID: String, postID: String) -> [String] {
        files(userID: userID, postID: postID).map(\.name)
    }

    func files(userID: String, postID: String) -> [BlobFile] {
        state.withLock { state in
            state.blobs.filter { $0.key.userID == userID && $0.key.postID == postID }
                .map { BlobFile(name: $0.key.fileName, byteCount: $0.value.count) }.sorted { $0.name < $1.name }
        }
    }

    func userIDs() -> [String] { state.withLock { Set($0.blobs.keys.map(\.userID)).sorted() } }

    func postIDs(userID: String) -> [String] {
        state.withLock { Set($0.blobs.keys.filter { $0.userID == userID }.map(\.postID)).sorted() }
    }

    func release(_ name: BlobName, to target: Directory, as fileName: String) throws(FileError) {
        guard let bytes = state.withLock({ $0.blobs[name] }) else { return }
        try target.writeNew(bytes, as: fileName, staging: staging)
        state.withLock { $0.blobs[name] = nil }
    }

    func remove(_ name: BlobName) { state.withLock { $0.blobs[name] = nil } }

    func removeAll(userID: String, postID: String) {
        state.withLock { state in
            state.blobs = state.blobs.filter { $0.key.userID != userID || $0.key.postID != postID }
        }
    }

    func mark() -> [UInt8]? { state.withLock { $0.mark } }
    func setMark(_ bytes: [UInt8]) { state.withLock { $0.mark = bytes } }
    func probe() {}
}

@Suite("What every blob store does: immutable files by name, there whole or not at all")
struct BlobStoreTests {
    enum Kind: CaseIterable { case folder, memory }

    private func withStore(
        _ kind: Kind, _ body: (any BlobStore, _ staging: Directory, Scratch) async throws -> Void
    ) async throws {
        try await withScratch { scratch in
            try scratch.write("", to: "staging/.keep")
            let staging = try scratch.directory().folder("staging")
            switch kind {
            case .folder:
                try await body(LocalBlobStore(path: "\(scratch.path)/blobs", staging: staging), staging, scratch)
            case .memory: try await body(MemoryBlobStore(staging: staging), staging, scratch)
            }
        }
    }

    private func name(_ file: String, user: String = "u", post: String = "p") throws -> BlobName {
        try BlobName(userID: user, postID: post, fileName: file)
    }

    private func bytes(_ name: BlobName, in store: any BlobStore) async throws -> [UInt8] {
        try await store.open(name).readAll(maxBytes: 1 << 20)
    }

    @Test("A staged file becomes a blob, and its temporary name goes", arguments: Kind.allCases)
    func publish(kind: Kind) async throws {
        try await withStore(kind) { store, staging, _ in
            let blob = try name("original.jpg")
            let staged = try StagedFile(in: staging, name: ".part")
            try Array("abc".utf8).withUnsafeBytes { try staged.write($0) }
            _ = try staged.finish()
            let error = await #expect(throws: FileError.self) { try await store.open(blob) }
            #expect(error?.code == .notFound)
            try await store.publish(staged, as: blob)
            #expect(try await bytes(blob, in: store) == Array("abc".utf8))
            #expect(try staging.names() == [".keep"])
        }
    }

    @Test("A staged file that is not finished is no blob", arguments: Kind.allCases)
    func unfinished(kind: Kind) async throws {
        try await withStore(kind) { store, staging, _ in
            let staged = try StagedFile(in: staging, name: ".part")
            await #expect(throws: FileError.self) { try await store.publish(staged, as: try name("a")) }
            #expect(try await store.fileNames(userID: "u", postID: "p").isEmpty)
        }
    }

    @Test("A name never gets other bytes, and whoever writes it again is told its size", arguments: Kind.allCases)
    func namesKeepTheirBytes(kind: Kind) async throws {
        try await withStore(kind) { store, _, _ in
            let names = try ["a.jpg", "b.jpg"].map { try name($0) }
            #expect(try await store.write([(names[0], [1, 2, 3])]) == [3])
            #expect(try await store.write([(names[0], [9]), (names[1], [4, 5])]) == [3, 2])
            #expect(try await bytes(names[0], in: store) == [1, 2, 3])
            #expect(try await bytes(names[1], in: store) == [4, 5])
        }
    }

    @Test("Blobs are listed by user, post and name, in byte order", arguments: Kind.allCases)
    func lists(kind: Kind) async throws {
        try await withStore(kind) { store, _, _ in
            try await store.write([(name("b.jpg"), [1]), (name("a.jpg"), [1, 2])])
            try await store.write([(name("c.jpg", post: "o"), [])])
            try await store.write([(name("d.jpg", user: "t", post: "q"), [])])
            #expect(try await store.userIDs() == ["t", "u"])
            #expect(try await store.postIDs(userID: "u") == ["o", "p"])
            #expect(try await store.fileNames(userID: "u", postID: "p") == ["a.jpg", "b.jpg"])
            let files = try await store.files(userID: "u", postID: "p")
            #expect(files == [BlobFile(name: "a.jpg", byteCount: 2), BlobFile(name: "b.jpg", byteCount: 1)])
            #expect(try await store.postIDs(userID: "nobody").isEmpty)
            #expect(try await store.fileNames(userID: "u", postID: "none").isEmpty)
            #expect(try await store.files(userID: "nobody", postID: "none").isEmpty)
        }
    }

    @Test("Deleting twice is deleting once", arguments: Kind.allCases)
    func remove(kind: Kind) async throws {
        try await withStore(kind) { store, _, _ in
            try await store.write([(name("a"), [1]), (name("b"), [2]), (name("c"), [3])])
            for _ in 0..<2 { try await store.remove(name("a")) }
            #expect(try await store.fileNames(userID: "u", postID: "p") == ["b", "c"])
            for _ in 0..<2 { try await store.removeAll(userID: "u", postID: "p") }
            #expect(try await store.fileNames(userID: "u", postID: "p").isEmpty)
        }
    }

    @Test("A blob is moved out of the store, and replaces nothing where it goes", arguments: Kind.allCases)
    func release(kind: Kind) async throws {
        try await withStore(kind) { store, _, scratch in
            let target = try scratch.directory()
            try await store.write([(name("a"), [7]), (name("b"), [8])])
            try await store.release(name("a"), to: target, as: "out")
            try await store.release(name("a"), to: target, as: "again")
            #expect(try target.file("out").readAll(maxBytes: 9) == [7])
            let error = await #expect(throws: FileError.self) {
                try await store.release(name("b"), to: target, as: "out")
            }
            #expect(error?.code == .exists)
            #expect(try await store.fileNames(userID: "u", postID: "p") == ["b"])
            #expect(try target.entry("again") == nil)
        }
    }

    @Test("The owner's mark is kept beside the blobs, and is none of them", arguments: Kind.allCases)
    func mark(kind: Kind) async throws {
        try await withStore(kind) { store, _, _ in
            #expect(try await store.mark() == nil)
            for mark in [[1, 2], [3]] as [[UInt8]] {
                try await store.setMark(mark)
                #expect(try await store.mark() == mark)
            }
            #expect(try await store.userIDs().isEmpty)
            try await store.probe()
            #expect(try await store.userIDs().isEmpty)
        }
    }
}
