import Files
import TestSupport
import Testing

@Suite("A folder of very many files that are made durable together")
struct BulkFolderTests {
    @Test("An existing file is replaced as a whole if its bytes differ, and left alone if they do not")
    func replacing() async throws {
        try await withScratch { scratch in
            let folder = BulkFolder(try scratch.directory())
            let path = ["a", "b", "c.txt"]
            try folder.write(Array("first".utf8), to: path)
            let entry = try folder.root.folder(below: ["a", "b"]).entry("c.txt")
            try folder.write(Array("first".utf8), to: path)
            #expect(try folder.root.folder(below: ["a", "b"]).entry("c.txt")?.inode == entry?.inode)
            let copy = try folder.copy(FileRange(holding: Array("second".utf8)), to: path)
            #expect(copy.byteCount == 6)
            #expect(try scratch.read("a/b/c.txt") == "second")
            #expect(try folder.root.folder(below: ["a", "b"]).names() == ["c.txt"])
            try folder.sync()
        }
    }

    @Test(
        "Only the given part of a file is copied",
        arguments: [(0, 3, "abc"), (2, 2, "cd"), (4, 9, "ef"), (6, 1, ""), (1, 0, "")])
    func parts(_ start: Int, _ count: Int, _ text: String) async throws {
        try await withScratch { scratch in
            try scratch.write("abcdef", to: "whole")
            let file = try FileReader(path: scratch.path + "/whole")
            let folder = BulkFolder(try scratch.directory())
            _ = try folder.copy(FileRange(file, at: start, byteCount: count), to: ["part"])
            #expect(try scratch.read("part") == text)
        }
    }

    @Test("Names that lead out of the folder are refused", arguments: ["..", ".", "a/b", ""])
    func names(_ name: String) async throws {
        try await withScratch { scratch in
            let folder = BulkFolder(try scratch.directory())
            #expect(throws: FileError.self) { try folder.write([1], to: [name, "x"]) }
            #expect(throws: FileError.self) { try folder.write([1], to: [name]) }
        }
    }
}
