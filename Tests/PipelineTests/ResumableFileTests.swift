import API
import Cryptography
import Files
import Keeping
import Model
import NIOCore
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

extension ResumableFile.Purpose {
    fileprivate static let test = ResumableFile.Purpose(rawValue: "test")
}

@Suite("A file that arrives in several requests loses no bytes that its sender has been notified of")
struct ResumableFileTests {
    struct ConnectionLost: Error {}

    private func request(
        owner: String = "maria", length: Int? = nil, maxBytes: Int = 1 << 20
    ) throws -> ResumableFileRequest {
        var request = ResumableFileRequest(owner: try TreeKey(owner), purpose: .test, maxBytes: maxBytes)
        request.length = length
        return request
    }

    @Test func bytesOfSeveralRequestsAreOneFileAlsoAcrossARestart() async throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await withScratch { scratch in
            let begun = Shared<PostID?>(nil)
            try await withPipeline(in: scratch, runs: false) { running in
                let files = running.pipeline.files
                let file = try await files.create(try request(length: bytes.count))
                begun.change { $0 = file.id }
                try await files.withFile(file.id) { try await $0.receive([Array(bytes[..<40_001])]) }
            }
            let id = try #require(begun.value)
            try await withPipeline(in: scratch, runs: false) { running in
                let files = running.pipeline.files
                try await running.pipeline.janitor.sweep()
                #expect(try await files.record(of: id)?.byteCount == 40_001)
                let sha256 = try await files.withFile(id) { session in
                    try await session.receive([Array(bytes[40_001...])])
                    guard case .whole(let staged, let contents) = try await session.finish() else { return "" }
                    #expect(try staged.reader().readAll(maxBytes: bytes.count) == bytes)
                    return contents.sha256
                }
                #expect(sha256 == Cryptography.sha256(of: bytes))
                try await files.remove(id)
                #expect(try running.storage.incoming.names().isEmpty)
                #expect(try await files.record(of: id) == nil)
            }
        }
    }

    @Test func whatCameBeforeTheConnectionBrokeIsKept() async throws {
        try await withPipeline(runs: false) { running in
            let files = running.pipeline.files
            let id = try await files.create(try request()).id
            await #expect(throws: ConnectionLost.self) {
                try await files.withFile(id) { try await $0.receive([[1, 2, 3]], thenThrow: ConnectionLost()) }
            }
            #expect(try await files.record(of: id)?.byteCount == 3)
        }
    }

    @Test func whatCountsTogetherIsNotKeptInPart() async throws {
        try await withPipeline(runs: false) { running in
            let files = running.pipeline.files
            let id = try await files.create(try request()).id
            try await files.withFile(id) { try await $0.receive([[1]]) }
            await #expect(throws: ConnectionLost.self) {
                try await files.withFile(id) {
                    try await $0.receive([[2, 3]], isWhole: true, thenThrow: ConnectionLost())
                }
            }
            try await files.withFile(id) { try await $0.receive([[4]], isWhole: true, isLast: true) }
            let record = try #require(try await files.record(of: id))
            #expect(record.isComplete)
            let bytes = try await files.withFile(id) { session -> [UInt8] in
                guard case .whole(let staged, _) = try await session.finish() else { return [] }
                return try staged.reader().readAll(maxBytes: 10)
            }
            #expect(bytes == [1, 4])
        }
    }

    @Test("S7: During a large upload, no more than a checkpoint's bytes are at risk")
    func checkpoints() async throws {
        try await withPipeline(runs: false) { running in
            let files = running.pipeline.files
            let id = try await files.create(try request(maxBytes: 64 << 20)).id
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            let seen = Shared<[Int]>([])
            try await files.withFile(id) { session in
                let count = Shared(0)
                try await session.receive {
                    let sent = count.change { count in
                        count += 1
                        return count
                    }
                    seen.change { $0.append((sent - 1) * piece.count - session.record.byteCount) }
                    return sent <= 10 ? ByteBuffer(bytes: piece) : nil
                }
            }
            #expect(seen.value.allSatisfy { $0 < ResumableSession.checkpointByteCount })
            #expect(try await files.record(of: id)?.byteCount == 10 * piece.count)
        }
    }

    @Test("S8: The latest request owns the file; the one before ends, and the bytes it received count")
    func oneOwner() async throws {
        try await withPipeline(runs: false) { running in
            let files = running.pipeline.files
            let id = try await files.create(try request()).id
            let isStuck = Shared(false)
            let stuck = Task {
                try await files.withFile(id) { session in
                    let pieces = Shared([ByteBuffer(bytes: [1, 2])])
                    try await session.receive {
                        if let piece = pieces.change({ $0.popLast() }) { return piece }
                        isStuck.change { $0 = true }
                        // A client that stops sending.
                        try await Task.sleep(for: .seconds(3600))
                        return nil
                    }
                }
            }
            try await eventually { isStuck.value }
            let offset = try await files.withFile(id) { $0.record.byteCount }
            #expect(offset == 2)
            let error = await #expect(throws: Failure.self) { try await stuck.value }
            #expect(error?.code == .takenOver)
        }
    }

    @Test("Many concurrent requests each have the file alone, and the last one's bytes are stored")
    func many() async throws {
        try await withPipeline(runs: false) { running in
            let files = running.pipeline.files
            let id = try await files.create(try request()).id
            let holders = Shared((now: 0, most: 0))
            await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        try? await files.withFile(id) { session in
                            holders.change {
                                $0.now += 1
                                $0.most = max($0.most, $0.now)
                            }
                            defer { holders.change { $0.now -= 1 } }
                            try await session.receive([[1]])
                        }
                    }
                }
            }
            #expect(holders.value.most == 1)
            let record = try #require(try await files.record(of: id))
            #expect((1...20).contains(record.byteCount))
            #expect(!files.isInUse(id))
        }
    }

    @Test("A request for the offset is answered, whichever requests arrive meanwhile")
    func brief() async throws {
        try await withPipeline(runs: false) { running in
            let files = running.pipeline.files
            let id = try await files.create(try request()).id
            let offsets = Shared<[Int]>([])
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await files.withFile(id, isBrief: true) { session in
                            try await Task.sleep(for: .milliseconds(1))
                            offsets.change { $0.append(session.record.byteCount) }
                        }
                    }
                    group.addTask { try? await files.withFile(id) { try await $0.receive([[1]]) } }
                }
                try await group.waitForAll()
            }
            #expect(offsets.value.count == 20)
            #expect(offsets.value == offsets.value.sorted(), "a reported offset never shrinks")
        }
    }

    @Test func tooMuchIsRefusedBeforeItComes() async throws {
        try await withPipeline(runs: false) { running in
            let files = running.pipeline.files
            let cases: [(Int?, ErrorCode)] = [(1001, .tooLarge), (-1, .badRequest)]
            for (length, code) in cases {
                let error = await #expect(throws: Failure.self) {
                    try await files.create(try request(length: length, maxBytes: 1000))
                }
                #expect(error?.code == code)
            }
            var wordy = try request()
            wordy.details = String(repeating: "x", count: ResumableFileRequest.maxDetailBytes + 1)
            await #expect(throws: Failure.self) { try await files.create(wordy) }
            for _ in 0..<ResumableFiles.maxFilesPerOwner { _ = try await files.create(try request(length: 1)) }
            let error = await #expect(throws: Failure.self) { try await files.create(try request(length: 1)) }
            #expect(error?.code == .tooManyUploads)
            for _ in 0..<8 { _ = try await files.create(try request(owner: "noah", length: 1000, maxBytes: 1000)) }
            let full = await #expect(throws: Failure.self) {
                try await files.create(try request(owner: "noah", length: 1, maxBytes: 1000))
            }
            #expect(full?.code == .tooManyUploads)
            _ = try await files.create(try request(owner: "ada"))
        }
    }

    @Test func bytesBeyondWhatWasSaidAreRefused() async throws {
        try await withPipeline(runs: false) { running in
            let files = running.pipeline.files
            let cases: [(length: Int?, ErrorCode)] = [(3, .tooManyBytes), (nil, .tooLarge)]
            for (length, code) in cases {
                let id = try await files.create(try request(length: length, maxBytes: 4)).id
                let error = await #expect(throws: Failure.self) {
                    try await files.withFile(id) { try await $0.receive([[1, 2], [3, 4, 5]]) }
                }
                #expect(error?.code == code)
                #expect(try await files.record(of: id)?.byteCount == 2)
            }
        }
    }

    @Test("A length is set once, and cannot be less than the received bytes")
    func length() async throws {
        try await withPipeline(runs: false) { running in
            let files = running.pipeline.files
            let id = try await files.create(try request()).id
            try await files.withFile(id) { session in
                try await session.receive([[1, 2, 3]])
                for length in [2, 1 << 30] {
                    await #expect(throws: Failure.self) { try await session.announce(length: length) }
                }
                try await session.announce(length: 5)
                try await session.announce(length: 5)
                await #expect(throws: Failure.self) { try await session.announce(length: 6) }
                await #expect(throws: Failure.self) { try await session.finish() }
                await #expect(throws: Failure.self) { try await session.receive([[4]], isLast: true) }
            }
            #expect(try await files.record(of: id)?.length == 5)
        }
    }

    @Test func whatIsLeftAloneGoesAndSoDoBytesThatNobodyClaims() async throws {
        try await withPipeline(runs: false, settings: { $0.draftLifetime = .seconds(60) }) { running in
            let files = running.pipeline.files
            let id = try await files.create(try request()).id
            try await files.withFile(id) { try await $0.receive([[1]]) }
            let stray = running.storage.ids.next()
            try running.scratch.write([1], to: "Storage/incoming/\(stray).partial")
            running.clock.advance(by: 59_000)
            try await running.pipeline.janitor.sweep()
            #expect(try running.storage.incoming.names() == ["\(id).partial"])
            running.clock.advance(by: 2000)
            try await running.pipeline.janitor.sweep()
            #expect(try running.storage.incoming.names().isEmpty)
            let error = await #expect(throws: Failure.self) { try await files.withFile(id) { _ in } }
            #expect(error?.code == .notFound)
        }
    }

    @Test("Bytes that vanished from the disk are not replaced")
    func lostBytes() async throws {
        try await withPipeline(runs: false) { running in
            let files = running.pipeline.files
            let id = try await files.create(try request()).id
            try await files.withFile(id) { try await $0.receive([[1, 2, 3]]) }
            try running.scratch.write([1], to: "Storage/incoming/\(id).partial")
            let error = await #expect(throws: Failure.self) { try await files.withFile(id) { _ in } }
            #expect(error?.code == .bytesLost)
        }
    }
}

extension ResumableSession {
    /// Receives pieces that are in memory, and then possibly an error.
    func receive(
        _ pieces: [[UInt8]], isWhole: Bool = false, isLast: Bool = false, thenThrow error: (any Error)? = nil
    ) async throws {
        var rest = pieces[...]
        try await receive(isWhole: isWhole, isLast: isLast) {
            if let piece = rest.popFirst() { return ByteBuffer(bytes: piece) }
            if let error { throw error }
            return nil
        }
    }
}
