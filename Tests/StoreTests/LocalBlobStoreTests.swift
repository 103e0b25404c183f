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
            let error = await #expect(throws: FileError.self) { try await store.write([(name, [1])]) }
            #expect(error?.code == .wrongKind)
            #expect(try scratch.directory().folder("outside").names() == ["file"])
        }
    }

    @Test("What can be no blob is named, and neither blobs nor what belongs to the folder are")
    func strays() async throws {
        try await withScratch { scratch in
            let store = try LocalBlobStore(path: scratch.path + "/blobs", staging: try Directory(path: scratch.path))
            try await store.write([(try BlobName(userID: "maria", postID: "p", fileName: "f"), [1])])
            try await store.setMark([1])
            for name in ["lost+found", ".probe"] { try scratch.write([1], to: "blobs/\(name)/file") }
            #expect(try await store.strayNames() == [])
            for name in ["notes.txt", ".hidden", "my photos/p/f"] { try scratch.write([1], to: "blobs/\(name)") }
            #expect(symlink("\(scratch.path)/blobs/maria", "\(scratch.path)/blobs/link") == 0)
            #expect(try await store.strayNames() == [".hidden", "link", "my photos", "notes.txt"])

            for name in [".DS_Store", "my photo.jpg", "é.jpg"] { try scratch.write([1], to: "blobs/maria/p/\(name)") }
            let strays = try await store.strayNames(inPosts: [("maria", "p"), ("maria", "q"), ("jan", "p")])
            #expect(strays == [[".DS_Store", "my photo.jpg", "é.jpg"], [], []])
            #expect(try await store.fileNames(userID: "maria", postID: "p") == ["f"])
        }
    }
}
