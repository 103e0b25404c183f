import Cryptography
import Files
import TestSupport
import Testing

@Suite("A continued staged file keeps the bytes up to its checkpoint, and nothing else")
struct CheckpointTests {
    private static let name = "file.partial"

    private func resumed(_ folder: Directory, from checkpoint: StagedFile.Checkpoint = .start) throws -> StagedFile {
        try StagedFile(resuming: Self.name, in: folder, from: checkpoint)
    }

    @Test(
        "The hash continues from any byte, inside a block and between two",
        arguments: [0, 1, 63, 64, 65, 4095, 4096, 9000])
    func hash(cut: Int) async throws {
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await withScratch { scratch in
            let folder = try scratch.directory()
            let first = try resumed(folder)
            try first.write(Array(bytes[..<cut]))
            let checkpoint = try first.checkpoint()
            let second = try resumed(folder, from: checkpoint)
            try second.write(Array(bytes[cut...]))
            let contents = try second.finish()
            #expect(contents.sha256 == sha256(of: bytes))
            #expect(contents.byteCount == bytes.count)
            #expect(contents.head == Array(bytes[..<4096]))
            try second.publish(as: "whole", in: folder)
            #expect(try folder.file("whole").readAll(maxBytes: 1 << 20) == bytes)
        }
    }

    @Test func aFileThatIsDroppedStays() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            try { try resumed(folder).write([1, 2, 3]) }()
            #expect(try folder.names() == [Self.name])
            try StagedFile.removeAbandoned(in: folder, olderThan: .zero)
            #expect(try folder.names() == [Self.name], "it is no part that nobody writes")
        }
    }

    @Test func bytesBehindTheCheckpointAreCutOff() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            let first = try resumed(folder)
            try first.write([1, 2, 3])
            let checkpoint = try first.checkpoint()
            try first.write([4, 5, 6])
            #expect(first.durableByteCount == 3)
            let second = try resumed(folder, from: checkpoint)
            #expect(second.byteCount == 3)
            try second.write([7])
            #expect(try second.finish().sha256 == sha256(of: [1, 2, 3, 7]))
            #expect(try second.reader().readAll(maxBytes: 100) == [1, 2, 3, 7])
        }
    }

    @Test func aFileThatLacksDurableBytesIsRefused() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            let first = try resumed(folder)
            try first.write([1, 2, 3])
            let checkpoint = try first.checkpoint()
            try scratch.write([1, 2], to: Self.name)
            let shorter = #expect(throws: FileError.self) { try resumed(folder, from: checkpoint) }
            #expect(shorter?.code == .bytesLost)
            try folder.remove(Self.name)
            let missing = #expect(throws: FileError.self) { try resumed(folder, from: checkpoint) }
            #expect(missing?.code == .notFound)
            #expect(try folder.names().isEmpty, "an empty file in its place would hide the loss")
        }
    }

    @Test(
        "An invalid checkpoint is refused",
        arguments: [
            (3, ""), (3, "00"), (3, String(repeating: "0", count: 64)), (0, String(repeating: "g", count: 64)),
            (-1, String(repeating: "0", count: 64)), (64, String(repeating: "0", count: 66)),
        ])
    func checkpoint(byteCount: Int, hashState: String) async throws {
        try await withScratch { scratch in
            let checkpoint = StagedFile.Checkpoint(byteCount: byteCount, hashState: hashState)
            let error = #expect(throws: FileError.self) { try resumed(scratch.directory(), from: checkpoint) }
            #expect(error?.code == .bytesLost)
        }
    }

    @Test func nothingButARegularFileIsOpened() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            _ = try folder.folder(Self.name, create: true)
            let error = #expect(throws: FileError.self) { try resumed(folder) }
            #expect(error?.code == .wrongKind)
            for name in ["", ".", "..", "a/b"] {
                #expect(throws: FileError.self) { try StagedFile(resuming: name, in: folder, from: .start) }
            }
        }
    }
}
