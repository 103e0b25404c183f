import Files
import Foundation
import Store
import TestSupport
import Testing

@Suite("Every blob store has immutable files by name, each of them whole or absent")
struct BlobStoreTests {
    /// The blob stores. A new one is a case here, and a line in `withStore`.
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
            case .memory: try await body(MemoryBlobStore(), staging, scratch)
            }
        }
    }

    private func name(_ file: String, user: String = "u", post: String = "p") throws -> BlobName {
        try BlobName(userID: user, postID: post, fileName: file)
    }

    private func bytes(_ name: BlobName, in store: any BlobStore) async throws -> [UInt8] {
        try await store.open(name).readAll(maxBytes: 1 << 20)
    }

    @Test("A staged file becomes a blob, and its temporary name is removed", arguments: Kind.allCases)
    func publish(kind: Kind) async throws {
        try await withStore(kind) { store, staging, _ in
            let blob = try name("original.jpg")
            let staged = try StagedFile(in: staging, name: ".part")
            try Array("abc".utf8).withUnsafeBytes { try staged.write($0) }
            _ = try staged.finish()
            let error = await #expect(throws: FileError.self) { try await store.open(blob) }
            #expect(error?.code == .notFound)
            #expect(try staged.contents().byteCount == 3)
            try await store.put(staged, as: blob)
            #expect(try await bytes(blob, in: store) == Array("abc".utf8))
            #expect(try staging.names() == [".keep"])
        }
    }

    @Test("A staged file that is not finished is not a blob", arguments: Kind.allCases)
    func unfinished(kind: Kind) async throws {
        try await withStore(kind) { store, staging, _ in
            let staged = try StagedFile(in: staging, name: ".part")
            await #expect(throws: FileError.self) { try await store.put(staged, as: try name("a")) }
            #expect(try await store.fileNames(userID: "u", postID: "p").isEmpty)
        }
    }

    @Test("A name never gets other bytes, and a second writer gets its size", arguments: Kind.allCases)
    func namesKeepTheirBytes(kind: Kind) async throws {
        try await withStore(kind) { store, _, _ in
            let names = try ["a.jpg", "b.jpg"].map { try name($0) }
            #expect(try await store.put([(names[0], [1, 2, 3])]) == [3])
            #expect(try await store.put([(names[0], [9]), (names[1], [4, 5])]) == [3, 2])
            #expect(try await bytes(names[0], in: store) == [1, 2, 3])
            #expect(try await bytes(names[1], in: store) == [4, 5])
        }
    }

    @Test("Blobs are listed by user, post and name, in byte order", arguments: Kind.allCases)
    func lists(kind: Kind) async throws {
        try await withStore(kind) { store, _, _ in
            try await store.put([(name("b.jpg"), [1]), (name("a.jpg"), [1, 2])])
            try await store.put([(name("c.jpg", post: "o"), [])])
            try await store.put([(name("d.jpg", user: "t", post: "q"), [])])
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

    @Test("A staged file replaces the leftovers of an earlier attempt", arguments: Kind.allCases)
    func replaced(kind: Kind) async throws {
        try await withStore(kind) { store, staging, _ in
            for text in ["one", "another"] {
                try await store.put(StagedFile(holding: Array(text.utf8), in: staging), as: name("original.jpg"))
            }
            #expect(try await bytes(name("original.jpg"), in: store) == Array("another".utf8))
            #expect(try await store.fileNames(userID: "u", postID: "p") == ["original.jpg"])
        }
    }

    @Test("Any part of a blob can be read, also of an empty blob", arguments: Kind.allCases)
    func ranges(kind: Kind) async throws {
        try await withStore(kind) { store, _, _ in
            let all = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
            try await store.put([(name("a"), all), (name("empty"), [])])
            let blob = try await store.reader(of: name("a"))
            #expect(blob.byteCount == all.count)
            let file = try await blob.wholeFile()
            #expect(try file.readAll(maxBytes: .max) == all)
            for range in [0..<0, 0..<1, 599_999..<600_000, 1..<300_000, 262_144..<524_288, 0..<600_000, 7..<7] {
                #expect(try await bytes(of: range, of: blob) == Array(all[range]), "\(range)")
            }
            let empty = try await store.reader(of: name("empty"))
            #expect(empty.byteCount == 0)
            #expect(try await bytes(of: 0..<0, of: empty) == [])
            #expect(try await empty.wholeFile().byteCount() == 0)
        }
    }

    private func bytes(of range: Range<Int>, of blob: BlobReader) async throws -> [UInt8] {
        let next = try await blob.pieces(of: range)
        var bytes: [UInt8] = []
        while let piece = try await next() { bytes += piece }
        return bytes
    }

    @Test("A blob is read to its end although it is deleted meanwhile", arguments: Kind.allCases)
    func readWhileDeleted(kind: Kind) async throws {
        try await withStore(kind) { store, _, _ in
            try await store.put([(name("a"), [1, 2, 3])])
            let blob = try await store.reader(of: name("a"))
            let next = try await blob.pieces(of: 1..<3)
            try await store.remove(name("a"))
            #expect(try await next() == [2, 3])
            #expect(try await next() == nil)
            let error = await #expect(throws: FileError.self) { try await store.reader(of: name("a")) }
            #expect(error?.code == .notFound)
        }
    }

    @Test(
        "A walk returns each name once, in byte order, in pages of any length, and continues from a name alone",
        arguments: Kind.allCases)
    func walk(kind: Kind) async throws {
        try await withStore(kind) { store, _, _ in
            // A slash sorts after a hyphen and a full stop, and before a digit.
            let all = ["a-b/p/1", "a.b/p/1", "a/p-q/1", "a/p/1", "a/p/10", "a/p/1a", "a/p0/1", "a0/p/1", "b/p/1"]
            for (index, path) in all.enumerated().reversed() {
                try await store.put([(BlobName(path), Array(repeating: 1, count: index))])
            }
            let users = ["a-b/", "a.b/", "a/", "a0/", "b/"]
            let posts = ["a-b/p/", "a.b/p/", "a/p-q/", "a/p/", "a/p0/", "a0/p/", "b/p/"]
            let table: [(walk: BlobWalk, paths: [String])] = [
                (BlobWalk(.names), all), (BlobWalk(.sizes), all), (BlobWalk(.users), users),
                (BlobWalk(.posts), posts), (BlobWalk(.posts, userID: "a"), posts.filter { $0.hasPrefix("a/") }),
                (BlobWalk(.names, userID: "a"), all.filter { $0.hasPrefix("a/") }),
                (BlobWalk(.names, userID: "a", postID: "p"), all.filter { $0.hasPrefix("a/p/") }),
                (BlobWalk(.names, userID: "a", postID: "none"), []), (BlobWalk(.posts, userID: "nobody"), []),
            ]
            for (walk, paths) in table {
                for limit in 1...10 {
                    for remembers in [true, false] {
                        var (met, next): ([String], BlobWalk?) = ([], walk)
                        while let walk = next {
                            let page = try await store.page(of: walk, limit: limit)
                            #expect(page.entries.count <= limit && page.strays.isEmpty)
                            met += page.entries.map(\.path)
                            next = remembers ? page.next : page.next?.behind(nil)
                        }
                        #expect(met == paths, "\(walk.detail) \(walk.prefix) by \(limit)")
                    }
                }
            }
            let sizes = try await store.page(of: BlobWalk(.sizes), limit: 100).entries.map(\.byteCount)
            #expect(sizes == Array(all.indices))
        }
    }

    @Test(
        "Many blobs of several posts are deleted at once, even if some are missing", arguments: Kind.allCases)
    func removeMany(kind: Kind) async throws {
        try await withStore(kind) { store, _, _ in
            for post in ["p", "q"] {
                try await store.put([(name("a", post: post), [1]), (name("b", post: post), [2])])
            }
            try await store.remove([name("a"), name("none"), name("b", post: "q"), name("a", post: "none")])
            #expect(try await store.fileNames(userID: "u", postID: "p") == ["b"])
            #expect(try await store.fileNames(userID: "u", postID: "q") == ["a"])
            try await store.remove([])
        }
    }

    @Test("A second deletion has no effect", arguments: Kind.allCases)
    func remove(kind: Kind) async throws {
        try await withStore(kind) { store, _, _ in
            try await store.put([(name("a"), [1]), (name("b"), [2]), (name("c"), [3])])
            for _ in 0..<2 { try await store.remove(name("a")) }
            #expect(try await store.fileNames(userID: "u", postID: "p") == ["b", "c"])
            for _ in 0..<2 { try await store.removeAll(userID: "u", postID: "p") }
            #expect(try await store.fileNames(userID: "u", postID: "p").isEmpty)
        }
    }

    @Test("A blob is moved out of the store, and replaces no file at its destination", arguments: Kind.allCases)
    func release(kind: Kind) async throws {
        try await withStore(kind) { store, _, scratch in
            let target = try scratch.directory()
            try await store.put([(name("a"), [7]), (name("b"), [8])])
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

    @Test("The owner's mark is kept next to the blobs, and is not a blob", arguments: Kind.allCases)
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
