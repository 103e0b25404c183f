import Client
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@Suite("Many at once, and much at once", .timeLimit(.minutes(5)), .serialized)
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
            let status = try await daemon.get("/v1/status").json(Status.self)
            #expect(status.published == 200)
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

    @Test("A body of 1 GB is refused early, whether it tells its length or not, with memory flat")
    func hugeBody() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            _ = try await daemon.get("/v1/status")
            let before = daemon.residentBytes
            for length in [1 << 30, nil] {
                let sent = Shared(0)
                let answer = try await daemon.send(
                    .post, "/v1/uploads?user=u", body: .stream(byteCount: length, Zeros(count: 1 << 30, sent: sent)))
                #expect(answer.status == 413)
                #expect(String(decoding: answer.body, as: UTF8.self).contains("too_large_bytes"))
                #expect(sent.value < 256 << 20, "refused after \(sent.value >> 20) MiB")
            }
            let grown = (daemon.residentBytes - before) >> 20
            #expect(grown < 100, "grew by \(grown) MiB")
            #expect(try FileManager.default.contentsOfDirectory(atPath: daemon.storage + "/incoming").isEmpty)
            #expect(try await daemon.stop() == 0)
        }
    }
}

/// A body of zeros.
private struct Zeros: AsyncSequence, Sendable {
    let count: Int
    let sent: Shared<Int>

    struct Iterator: AsyncIteratorProtocol {
        var rest: Int
        let sent: Shared<Int>

        mutating func next() async throws -> ByteBuffer? {
            guard rest > 0 else { return nil }
            let size = Swift.min(rest, 1 << 20)
            rest -= size
            sent.change { $0 += size }
            return ByteBuffer(repeating: 0, count: size)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: count, sent: sent) }
}
