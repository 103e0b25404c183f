import Files
import TestSupport
import Testing

@Suite("A staged file is hashed as it grows, and invisible until it is published")
struct StagedFileTests {
    private func staged(_ text: String, in folder: Directory) throws -> StagedFile {
        let file = try StagedFile(in: folder, name: ".part")
        try Array(text.utf8).withUnsafeBytes { try file.write($0) }
        return file
    }

    @Test func contents() async throws {
        try await withScratch { scratch in
            let contents = try staged("abc", in: scratch.directory()).finish()
            #expect(contents.byteCount == 3)
            #expect(contents.head == Array("abc".utf8))
            // The one-block vector from the examples of FIPS 180-4.
            #expect(contents.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        }
    }

    @Test func anAbandonedStagedFileDeletesItself() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            do { _ = try staged("half", in: folder) }
            #expect(try folder.names().isEmpty)
        }
    }

    @Test func aLeftoverOfACrashIsReplaced() async throws {
        try await withScratch { scratch in
            try scratch.write("stale", to: ".part")
            let contents = try staged("fresh", in: scratch.directory()).finish()
            #expect(contents.byteCount == 5)
        }
    }
}
