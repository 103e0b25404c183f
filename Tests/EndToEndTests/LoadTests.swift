import Client
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@Suite("Many concurrent requests, and large ones", .timeLimit(.minutes(20)), .serialized)
struct LoadTests {
    private struct Status: Decodable {
        struct Tree: Decodable {
            let updates: Int
            let transactions: Int
            let largestGroup: Int
        }
        let published: Int
        let tree: Tree
    }

    @Test("Two hundred concurrent uploads: all committed, memory bounded, commits grouped")
    func concurrentUploads() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let photo = try Fixture.bytes("baseline-420.jpg")
            let before = daemon.residentBytes
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<200 {
                    group.addTask { try await daemon.upload(photo, by: "user\(number % 10)") }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(ids.count == 200)
            try await eventually { try await daemon.get("/v1/status").json(Status.self).published == 200 }
            let status = try await daemon.get("/v1/status").json(Status.self)
            #expect(status.tree.transactions < status.tree.updates, "one fsync for several updates")
            #expect(status.tree.largestGroup > 1)
            let grown = (daemon.residentBytes - before) >> 20
            #expect(grown < 200, "grew by \(grown) MiB")
            print(
                "200 concurrent uploads: \(status.tree.updates) updates in \(status.tree.transactions) transactions,",
                "largest group \(status.tree.largestGroup), resident memory \(daemon.residentBytes >> 20) MiB (+\(grown))"
            )
            #expect(try await daemon.stop() == 0)
            let state = try await Invariants(of: daemon.storage)
            #expect(Set(state.posts) == ids)
        }
    }

    @Test("A body of 1 GB is refused early, with or without its length, with memory flat")
    func hugeBody() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            _ = try await daemon.get("/v1/status")
            let before = daemon.residentBytes
            for length in [1 << 30, nil] {
                let sent = Shared(0)
                let zeros = Flood(piece: String(repeating: "\0", count: 1 << 20), count: 1024, sent: sent)
                let answer = try await daemon.client.ask(
                    .post, "/v1/uploads?user=u", body: .stream(byteCount: length, zeros))
                #expect(answer.status == 413)
                #expect(answer.text.contains("too_large_bytes"))
                #expect(sent.value < 1 << 30, "refused after \(sent.value >> 20) MiB")
            }
            let grown = (daemon.residentBytes - before) >> 20
            #expect(grown < 100, "grew by \(grown) MiB")
            try await eventually {
                try FileManager.default.contentsOfDirectory(atPath: daemon.storage + "/incoming").isEmpty
            }
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test(
        "A write of 300 MB to the database is refused, with memory flat and the service alive",
        arguments: [HugeWrite.announced, .oneText, .manyTexts])
    func hugeWrite(_ write: HugeWrite) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            _ = try await daemon.get("/.json")
            let before = daemon.residentBytes
            let answer = try await daemon.client.ask(
                .put, "/a.json",
                body: .stream(byteCount: write == .announced ? 300 << 20 : nil, write.body))
            #expect(answer.status == 400)
            #expect(
                answer.text.contains(
                    "Data to write exceeds the maximum size that can be modified with a single request."))
            let grown = (daemon.residentBytes - before) >> 20
            #expect(grown < 100, "grew by \(grown) MiB")
            #expect(try await daemon.get("/.json").text == "null")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("The memory for large writes and reads is released when they are done")
    func memoryComesBack() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            _ = try await daemon.get("/.json")
            let before = daemon.residentBytes
            let json = largeJSON(mebibytes: 8)
            for _ in 0..<14 {
                let answer = try await daemon.client.ask(
                    .put, "/large.json?print=silent", body: .bytes(Array(json.utf8)))
                #expect(answer.status == 204)
            }
            for _ in 0..<4 { #expect(try await daemon.get("/large.json").body.count == json.utf8.count) }
            try await eventually { (daemon.residentBytes - before) >> 20 < 80 }
            #expect(try await daemon.stop() == 0)
        }
    }
}

/// Returns an object with the given number of texts of a mebibyte each.
func largeJSON(mebibytes: Int) -> String {
    let text = String(repeating: "0123456789abcdef", count: 1 << 16)
    return "{\((0..<mebibytes).map { "\"k\(100 + $0)\":\"\(text)\"" }.joined(separator: ","))}"
}

/// A body of 300 MiB that the database must refuse.
enum HugeWrite: Sendable {
    case announced, oneText, manyTexts

    var body: Flood {
        switch self {
        case .announced: Flood(piece: String(repeating: " ", count: 1 << 20), count: 300)
        case .oneText: Flood(start: "\"", piece: String(repeating: "x", count: 1 << 20), count: 300)
        case .manyTexts:
            Flood(start: "[", piece: "\"" + String(repeating: "x", count: (1 << 20) - 3) + "\",", count: 300)
        }
    }
}

/// A body that repeats its bytes.
struct Flood: AsyncSequence, Sendable {
    var start = ""
    let piece: String
    let count: Int
    var sent = Shared(0)

    struct Iterator: AsyncIteratorProtocol {
        var start: ByteBuffer?
        let piece: String
        var rest: Int
        let sent: Shared<Int>

        mutating func next() async throws -> ByteBuffer? {
            if let start {
                self.start = nil
                return start
            }
            guard rest > 0 else { return nil }
            rest -= 1
            let bytes = ByteBuffer(string: piece)
            sent.change { $0 += bytes.readableBytes }
            return bytes
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(start: ByteBuffer(string: start), piece: piece, rest: count, sent: sent)
    }
}
