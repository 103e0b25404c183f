import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("The number of posts is the sum of per-day counters")
struct PostDaysTests {
    private static let day: Int64 = 86_400_000
    private static let audience = "-OaAaAaAaAaAaAaAaAaA"

    private func withStore(
        derivations: [[any Derivation]] = SocialDerivations.strata, _ body: (TreeStore) async throws -> Void
    ) async throws {
        let store = try await TreeStore(
            engine: MemoryEngine(), derivations: derivations, isMaintained: false, clock: { 1000 })
        try await body(store)
        await store.close()
    }

    private func post(by uid: String, for audience: String? = nil) -> TreeValue {
        var fields: [TreeKey: TreeValue] = ["author": ["uid": .string(uid)], "text": "x", "timestamp": 1]
        if let audience { fields["audiences"] = .object([TreeKey(unchecked: audience): true]) }
        return .object(fields)
    }

    /// Adds posts of ann and bob, in turns, four a day for five days; every third is for an audience.
    private func fill(_ tree: TreeStore) async throws {
        let members: TreeValue = ["ann": "owner", "bob": "poster"]
        try await tree.set(
            "audiences" / TreeKey(unchecked: Self.audience), to: ["name": "a", "kind": "group", "members": members])
        var update = MultiPathUpdate()
        for number in 0..<20 {
            let time = 100 * Self.day + Int64(number) * Self.day / 4 + 5
            let id = PostID.first(at: Timestamp(milliseconds: time))
            let isForAudience = number % 3 == 0
            let list = isForAudience ? AudienceNodes.post() : PostNodes.post()
            update[list / id.key] = post(by: number % 2 == 0 ? "ann" : "bob", for: isForAudience ? Self.audience : nil)
        }
        update[PostNodes.post() / "no-id"] = post(by: "ann")
        try await tree.update(update)
    }

    private func check(_ tree: TreeStore) async throws {
        let (ann, bob) = (try #require(UserID("ann")), try #require(UserID("bob")))
        let people = [ann, bob]
        let lists =
            [PostNodes.post(), AudienceNodes.post()]
            + people.flatMap { [PeopleNodes.ownPost($0), AudienceNodes.postBy($0)] }
        let ranges: [(Int64?, Int64?)] = [
            (nil, nil), (101 * Self.day, nil), (nil, 102 * Self.day + 6), (101 * Self.day + 6, 103 * Self.day - 1),
            (103 * Self.day, 103 * Self.day), (104 * Self.day, 101 * Self.day), (0, .max),
        ]
        try await tree.snapshot { snapshot in
            for list in lists {
                for (first, end) in ranges {
                    let (since, until) = (
                        first.map(Timestamp.init(milliseconds:)), end.map(Timestamp.init(milliseconds:))
                    )
                    let range = PostDays.range(since: since, until: until)
                    let expected = try snapshot.keys(of: list, range: range).count { PostID($0.string) != nil }
                    for areKept in [true, false] {
                        let count = try PostDays.count(list, since: since, until: until, areKept: areKept, in: snapshot)
                        #expect(count == expected, "\(list) \(first ?? -1) \(end ?? -1) \(areKept)")
                    }
                }
            }
        }
    }

    @Test("Counters are exact for posts of any time, whatever happens to them")
    func derived() async throws {
        try await withStore { tree in
            try await fill(tree)
            try await check(tree)
            let numbers = TreePath(["post_days", "101"], in: .social)
            #expect(try await tree.get(numbers)?.integerValue == 3)
            let first = PostID.first(at: Timestamp(milliseconds: 101 * Self.day + 5))
            try await tree.set(PostNodes.post() / first.key / "author" / "uid", to: "bob")
            try await check(tree)
            let keys = try await tree.keys(of: AudienceNodes.post())
            try await tree.set(AudienceNodes.post() / keys[1] / "author" / "uid", to: "bob")
            try await check(tree)
            for key in keys.prefix(2) { try await tree.set(AudienceNodes.post() / key, to: nil) }
            try await check(tree)
            for key in try await tree.keys(of: PostNodes.post()).prefix(7) {
                try await tree.set(PostNodes.post() / key, to: nil)
            }
            try await check(tree)
            try await tree.set(PostNodes.post(), to: nil)
            try await check(tree)
            #expect(try await tree.get(TreePath(["post_days"], in: .social)) == nil)
        }
    }

    @Test("Missing or wrong counters are repaired, also those of data that are older")
    func repair() async throws {
        // A version without the counters.
        let older = SocialDerivations.strata.map { $0.filter { !($0 is PostDays) } }
        try await withStore(derivations: older) { tree in
            try await fill(tree)
            try await tree.set(TreePath(["post_days", "102"], in: .social), to: 17)
            try await tree.set(TreePath(["post_days_by", "ann", "90"], in: .social), to: 1)
            let version = TreePath(["version"], in: .social)
            let repair = SocialRepair(tree, version: version, logger: .init(label: "test"))
            try await repair.run()
            try await check(tree)
            #expect(try await repair.faults().isEmpty)
        }
    }
}
