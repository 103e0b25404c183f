import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Data that are older than the derivations are processed once")
struct RepairTests {
    private static let version = TreePath(["social"], in: Namespace(reserved: "test"))

    /// The data of an earlier version without derivations.
    private static let old: TreeValue = [
        "people": [
            "ann": [
                "full_name": "Ann Lée", "following": ["bob": "p1"], "posts": ["p0": true],
                "notificationTokens": ["t": true],
            ],
            "bob": ["full_name": "Bob", "posts": ["p1": true, "p2": true]],
            "eve": ["full_name": "", "_search_index": ["full_name": "stale", "reversed_full_name": "stale"]],
        ],
        "followers": ["bob": ["cem": true]],
        "posts": [
            "p1": ["timestamp": 1, "text": "#one", "author": ["uid": "bob"]],
            "p2": ["timestamp": 2, "text": "two", "author": ["uid": "bob"]],
        ],
        "likes": ["p1": ["ann": 1, "cem": 2]],
        "comments": ["p2": ["c1": ["author": ["uid": "ann"], "text": "x"], "c2": ["author": ["uid": "ann"]]]],
        "blocking": ["ann": ["eve": true]],
        "stats": ["posts": ["p1": ["likes": 99], "gone": ["likes": 7]]],
    ]

    private static func expectInOrder(_ tree: TreeStore) async throws {
        #expect(
            try await tree.get("stats") == [
                "posts": ["p1": ["likes": 2], "p2": ["comments": 2]],
                "people": [
                    "ann": ["posts": 1, "following": 1], "bob": ["posts": 2, "followers": 2], "cem": ["following": 1],
                ],
            ])
        #expect(try await tree.get("followers/bob") == ["ann": true, "cem": true])
        #expect(try await tree.get("people/ann/following/bob") == "p1")
        #expect(try await tree.get("people/cem/following/bob") == true)
        #expect(try await tree.get("people/ann/_search_index/reversed_full_name") == "lee ann")
        #expect(try await tree.get("people/eve/_search_index") == nil)
        #expect(try await tree.get("people/ann/notificationTokens") == nil)
        #expect(try await tree.get("notification_tokens") == ["ann": ["t": true]])
        #expect(try await tree.get("hashtags/one/p1") == true)
        #expect(try await tree.get("blocked/eve/ann") == true)
        #expect(try await tree.get(TreePath(["liked"], in: .social)) == ["ann": ["p1": true], "cem": ["p1": true]])
        #expect(
            try await tree.get(TreePath(["commented"], in: .social)) == ["ann": ["p2": ["c1": true, "c2": true]]])
    }

    private func withOldData(_ body: (TreeStore, SocialRepair) async throws -> Void) async throws {
        let engine = MemoryEngine()
        let writer = try await TreeStore(engine: engine, isMaintained: false)
        try await writer.set(.root, to: Self.old)
        let tree = try await TreeStore(engine: engine, derivations: SocialDerivations.strata, isMaintained: false)
        try await body(tree, SocialRepair(tree, version: Self.version, logger: Logger(label: "test")))
        await tree.close()
    }

    @Test("P14, 35: Counters, links and search keys are correct after a full derivation, which reports its findings")
    func repairs() async throws {
        try await withOldData { tree, repair in
            #expect(try await !repair.faults().isEmpty)
            try await repair.run()
            try await Self.expectInOrder(tree)
            #expect(try await repair.faults() == [])
            let token = try await tree.token
            try await repair.run()
            #expect(try await tree.token == token)
        }
    }

    @Test("Existing data notify nobody")
    func tellsNobody() async throws {
        try await withOldData { tree, repair in
            try await repair.run()
            #expect(try await tree.get("followers/bob/cem") == true)
            #expect(try await tree.get("people/cem/following/bob") == true)
            #expect(try await tree.get("notifications") == nil)
        }
    }

    @Test("Concurrent writes are counted once")
    func meanwhile() async throws {
        try await withOldData { tree, repair in
            async let writes: Void = {
                for number in 0..<100 {
                    try await tree.set(try TreePath("likes/p1/u\(number)"), to: 1)
                    try await tree.set(try TreePath("followers/bob/u\(number)"), to: true)
                }
            }()
            try await repair.run()
            try await writes
            try await repair.run()
            #expect(try await tree.get("stats/posts/p1/likes") == 102)
            #expect(try await tree.get("stats/people/bob/followers") == 102)
            #expect(try await repair.faults() == [])
        }
    }

    @Test("An empty tree needs no processing")
    func empty() async throws {
        let tree = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, isMaintained: false)
        let repair = SocialRepair(tree, version: Self.version, logger: Logger(label: "test"))
        try await repair.skipIfEmpty()
        let token = try await tree.token
        try await repair.run()
        #expect(try await tree.token == token)
        await tree.close()
    }
}
