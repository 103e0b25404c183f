import Files
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Open folders reach nothing outside, and open only regular files")
struct DirectoryTests {
    @Test(arguments: ["", ".", "..", "a/b", "../x", "/etc/passwd", "a\0b"])
    func namesWithMoreThanOneComponentAreRefused(name: String) async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            #expect(throws: FileError.self) { try folder.file(name) }
            #expect(throws: FileError.self) { try folder.folder(name, create: true) }
            #expect(throws: FileError.self) { try folder.remove(name) }
            #expect(throws: FileError.self) { try folder.removeTree(name) }
        }
    }

    @Test("A name that is too long has no entry, and a file can be read with the largest limit")
    func extremes() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            #expect(try folder.entry(String(repeating: "n", count: 256)) == nil)
            try scratch.write("photo", to: "photo.jpg")
            let reader = try folder.file("photo.jpg")
            #expect(try reader.readAll(maxBytes: .max).count == 5)
            #expect(try reader.readAll(maxBytes: 3).count == 4)
        }
    }

    @Test("A symbolic link, a FIFO, a folder and a missing file are distinguished from a photo, without blocking")
    func onlyRegularFilesOpen() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            try scratch.write("secret", to: "target")
            #expect(symlink("\(scratch.path)/target", "\(scratch.path)/link") == 0)
            #expect(mkfifo("\(scratch.path)/fifo", 0o600) == 0)
            _ = try folder.folder("folder", create: true)
            for (name, code) in [
                ("link", FileError.Code.wrongKind), ("fifo", .wrongKind), ("folder", .wrongKind),
                ("missing", .notFound),
            ] {
                let error = #expect(throws: FileError.self, "\(name)") { try folder.file(name) }
                #expect(error?.code == code, "\(name)")
            }
            #expect(symlink("/etc", "\(scratch.path)/etc") == 0)
            #expect(throws: FileError.self) { try folder.folder("etc") }
            let kinds = Dictionary(uniqueKeysWithValues: try folder.entries().map { ($0.name, $0.kind) })
            #expect(kinds == ["link": .other, "fifo": .other, "folder": .folder, "target": .file, "etc": .other])
        }
    }

    @Test func movingReplacesNothing() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            try scratch.write("one", to: "a")
            try scratch.write("two", to: "b")
            let error = #expect(throws: FileError.self) { try folder.move("a", to: folder, as: "b") }
            #expect(error?.code == .exists)
            #expect(try scratch.read("b") == "two")
            try folder.move("a", to: folder.folder("sub", create: true), as: "c")
            #expect(try scratch.read("sub/c") == "one")
        }
    }

    @Test("The deletion of a tree does not follow a link out of it, and is idempotent")
    func removeTree() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            try scratch.write("keep", to: "outside/kept")
            let doomed = try folder.folder("doomed", create: true).folder("deep", create: true)
            #expect(symlink("\(scratch.path)/outside", "\(doomed.path)/link") == 0)
            try folder.removeTree("doomed")
            try folder.removeTree("doomed")
            #expect(try folder.entry("doomed") == nil)
            #expect(try scratch.read("outside/kept") == "keep")
        }
    }

    @Test(
        "Folders nested a thousand deep are deleted; they are not copied, and a failed copy leaves nothing"
    )
    func depth() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            let other = try folder.folder("other", create: true)
            _ = try folder.folder("doomed", create: true)
            var innermost = open("\(scratch.path)/doomed", O_RDONLY | O_DIRECTORY)
            for _ in 0..<1000 {
                #expect(mkdirat(innermost, "d", 0o700) == 0)
                let next = openat(innermost, "d", O_RDONLY | O_DIRECTORY)
                close(innermost)
                innermost = next
            }
            close(innermost)
            let fault = #expect(throws: FileError.self) {
                try folder.copy("doomed", to: other, as: "copy", via: ".part")
            }
            #expect(fault?.code == .tooDeep)
            #expect(try folder.entry("doomed") != nil && other.names().isEmpty)
            try folder.removeTree("doomed")
            #expect(try folder.names() == ["other"])
        }
    }

    @Test func readersReadAtAnyOffset() async throws {
        try await withScratch { scratch in
            try scratch.write("0123456789", to: "digits")
            let reader = try scratch.directory().file("digits")
            #expect(try reader.byteCount() == 10)
            #expect(try reader.read(at: 3, maxBytes: 4) == Array("3456".utf8))
            #expect(try reader.read(at: 8, maxBytes: 4) == Array("89".utf8))
            #expect(try reader.read(at: 10, maxBytes: 4).isEmpty)
            #expect(try reader.readAll(maxBytes: 4).count == 5, "one more than allowed, so that it shows")
            #expect(try reader.readAll(maxBytes: 100).count == 10)
        }
    }
}
