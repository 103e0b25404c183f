import Files
import Foundation
import Store
import TestSupport
import Testing

@Suite("A blob store in a folder stays in its folder")
struct LocalBlobStoreTests {
    @Test("A user's folder that is a link is not followed")
    func linksInsideTheStoreAreRefused() async throws {
        try await withScratch { scratch in
            try scratch.write("mine", to: "outside/file")
            let store = try LocalBlobStore(path: scratch.path + "/blobs", staging: try Directory(path: scratch.path))
            #expect(symlink("\(scratch.path)/outside", "\(scratch.path)/blobs/evil") == 0)
            let name = try BlobName(userID: "evil", postID: "p", fileName: "f")
            let error = await #expect(throws: FileError.self) { try await store.put([(name, [1])]) }
            #expect(error?.code == .wrongKind)
            #expect(try scratch.directory().folder("outside").names() == ["file"])
        }
    }

    @Test("Files that cannot be blobs are reported, but not blobs and the folder's own files")
    func strays() async throws {
        try await withScratch { scratch in
            let store = try LocalBlobStore(path: scratch.path + "/blobs", staging: try Directory(path: scratch.path))
            try await store.put([(try BlobName(userID: "maria", postID: "p", fileName: "f"), [1])])
            try await store.setMark([1])
            for name in ["lost+found", ".probe"] { try scratch.write([1], to: "blobs/\(name)/file") }
            #expect(try await strays(of: BlobWalk(.users), in: store) == [])
            for name in ["notes.txt", ".hidden", "my photos/p/f"] { try scratch.write([1], to: "blobs/\(name)") }
            #expect(symlink("\(scratch.path)/blobs/maria", "\(scratch.path)/blobs/link") == 0)
            #expect(try await strays(of: BlobWalk(.users), in: store) == [".hidden", "link", "my photos", "notes.txt"])

            for name in [".DS_Store", "my photo.jpg", "é.jpg"] { try scratch.write([1], to: "blobs/maria/p/\(name)") }
            for name in ["notes.txt", "my posts/f"] { try scratch.write([1], to: "blobs/maria/\(name)") }
            _ = try scratch.directory().folder(below: ["blobs", "maria", "empty"], create: true)
            let inPost = [".DS_Store", "my photo.jpg", "é.jpg"].map { "maria/p/\($0)" }
            #expect(try await strays(of: BlobWalk(.names, userID: "maria", postID: "p"), in: store) == inPost)
            #expect(
                try await strays(of: BlobWalk(.sizes, userID: "maria"), in: store)
                    == ["maria/my posts", "maria/empty", "maria/notes.txt"] + inPost)
            for walk in [BlobWalk(.names, userID: "jan"), BlobWalk(.names, userID: "maria", postID: "q")] {
                #expect(try await strays(of: walk, in: store) == [])
            }
            #expect(try await store.fileNames(userID: "maria", postID: "p") == ["f"])
        }
    }

    private func strays(of walk: BlobWalk, in store: LocalBlobStore) async throws -> [String] {
        try await store.page(of: walk, limit: 100).strays
    }

    @Test("Pages read each folder once, and a walk continues from its position even if folders change meanwhile")
    func pages() async throws {
        try await withScratch { scratch in
            let store = try LocalBlobStore(path: scratch.path + "/blobs", staging: try Directory(path: scratch.path))
            for (user, post) in [("a", "p"), ("a", "q"), ("b", "p")] {
                let names = try ["1", "2", "3"].map { try BlobName(userID: user, postID: post, fileName: $0) }
                try await store.put(names.map { ($0, [1]) })
            }
            let first = try await store.page(of: BlobWalk(.names), limit: 2)
            #expect(first.entries.map(\.path) == ["a/p/1", "a/p/2"])
            // The walk keeps a list of the names it has read, and does not look again.
            try await store.put([(try BlobName(userID: "a", postID: "p", fileName: "2a"), [1])])
            try await store.removeAll(userID: "a", postID: "q")
            let next = try #require(first.next)
            let second = try await store.page(of: next, limit: 2)
            #expect(second.entries.map(\.path) == ["a/p/3", "b/p/1"])
            // Without that list it reads again, from the same position.
            let resumed = BlobWalk(.names, after: next.after)
            #expect(try await store.page(of: resumed, limit: 2).entries.map(\.path) == ["a/p/2a", "a/p/3"])
        }
    }
}
