import Foundation
import TestSupport
import Testing

@Suite("P23, B25, B30: kill -9 in the middle of everything", .timeLimit(.minutes(15)))
struct CrashTests {
    private static let rounds = 10
    private static let files = 200
    private static let uploads = 20

    /// Each round: 200 files in the inbox and 20 uploads, killed at a random moment, looked at, started again.
    @Test("Every acknowledged upload is a post, no file becomes two, nothing is half visible: ten times over")
    func killed() async throws {
        for round in 1...Self.rounds {
            try await withScratch { scratch in
                let storage = scratch.path + "/Storage"
                let photo = try Fixture.bytes("baseline-420.jpg")
                for number in 0..<Self.files {
                    try scratch.write(photo, to: "Storage/inbox/user\(number % 5)/\(number).jpg")
                }
                var daemon = try await Daemon(storage: storage)
                // Killed when about so many of the files are done: anywhere from the first claim to the last receipt.
                let moment = Int.random(in: 0..<Self.files)
                let before = try await acknowledgements(of: daemon, killedAt: moment, photo)
                let cut = try await Invariants(of: storage)
                #expect(Set(before.values).isSubset(of: cut.posts), "acknowledged and lost, cut at \(moment)")
                #expect(cut.posts.count >= moment)

                daemon = try await Daemon(storage: storage)
                // Whoever got no answer asks again with the same key.
                for number in 0..<Self.uploads {
                    let id = try await daemon.upload(photo, by: "sender", key: "key-\(number)")
                    if let earlier = before["key-\(number)"] { #expect(id == earlier, "one key, one post") }
                }
                try await eventually { self.count(of: ".receipt.json", in: storage + "/done") == Self.files }
                #expect(try await daemon.stop() == 0)

                let settled = try await Invariants(of: storage)
                #expect(settled.posts.count == Self.files + Self.uploads, "round \(round), cut at \(moment)")
                #expect(settled.failed.isEmpty)
                #expect(settled.unfinished.values.allSatisfy { $0 == "reserved" }, "\(settled.unfinished)")
                #expect(Set(self.receipts(in: storage + "/done")).count == Self.files, "each file a post of its own")
            }
        }
    }

    /// The ids of the posts that were acknowledged before the end, by the keys of their uploads.
    private func acknowledgements(
        of daemon: Daemon, killedAt moment: Int, _ photo: [UInt8]
    ) async throws -> [String: String] {
        try await withThrowingTaskGroup(of: (String, String)?.self) { group in
            for number in 0..<Self.uploads {
                group.addTask {
                    let key = "key-\(number)"
                    guard let id = try? await daemon.upload(photo, by: "sender", key: key) else { return nil }
                    return (key, id)
                }
            }
            try await eventually { count(of: ".receipt.json", in: daemon.storage + "/done") >= moment }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...50)))
            try await daemon.killHard()
            return try await group.reduce(into: [:]) { if let (key, id) = $1 { $0[key] = id } }
        }
    }

    private func paths(in folder: String) -> [String] {
        FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    }

    private func count(of suffix: String, in folder: String) -> Int {
        paths(in: folder).count { $0.hasSuffix(suffix) }
    }

    private func receipts(in folder: String) -> [String] {
        struct Receipt: Decodable { let post: String }
        return paths(in: folder).filter { $0.hasSuffix(".receipt.json") }.compactMap { name in
            let data = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
            return try? JSONDecoder().decode(Receipt.self, from: data).post
        }
    }
}
