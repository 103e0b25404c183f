import API
import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("The id of an audience is used once")
struct UsedAudienceTests {
    private static let school: TreeValue = [
        "name": "S", "kind": "school", "members": ["ann": "owner", "bob": "reader"],
    ]

    /// Runs a body with a store with a school, of which Ann is the owner.
    private func withSchool(_ body: (TreeStore) async throws -> Void) async throws {
        let tree = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, constraints: SocialDerivations.constraints,
            isMaintained: false, clock: { 1000 })
        try await tree.set("audiences/s", to: Self.school)
        try await body(tree)
        #expect(try await SocialRepair(tree, version: "v", logger: Logger(label: "test")).faults() == [])
        await tree.close()
    }

    private func write(_ writes: [TreePath: TreeValue?], to tree: TreeStore) async throws {
        var update = MultiPathUpdate()
        for (path, value) in writes { update[path] = value }
        try await tree.update(update)
    }

    @Test(
        "The id of a deleted audience cannot be used again, in whichever way",
        arguments: [
            ["audiences/s": nil], ["audiences/s": nil, "people/eve/full_name": "Eve"],
            ["audiences/s": nil, "audiences/t": ["name": "T", "members": ["ann": "owner"]]],
        ] as [[TreePath: TreeValue?]])
    func database(deletion: [TreePath: TreeValue?]) async throws {
        let eves: TreeValue = ["name": "S", "kind": "school", "members": ["eve": "owner"]]
        let attempts: [[TreePath: TreeValue?]] = [
            ["audiences/s": eves], ["audiences/s": Self.school], ["audiences/s/members": ["eve": "owner"]],
            ["audiences/s/members/eve": "owner"], ["audiences/s/name": "S"],
            ["audiences/s": eves, "audiences/n": eves],
        ]
        try await withSchool { tree in
            try await write(deletion, to: tree)
            #expect(try await tree.get("audiences/s") == nil)
            for attempt in attempts {
                let error = await #expect(throws: TreeError.self, "\(attempt)") { try await write(attempt, to: tree) }
                #expect(error?.code == .invalidValue && error?.path == "audiences/s")
                #expect(try await tree.get("audiences/s") == nil, "\(attempt)")
                #expect(try await tree.get("memberships/eve") == nil, "\(attempt)")
            }
            try await write(["audiences/n": eves], to: tree)
            #expect(try await tree.get("memberships/eve") == ["n": "owner"], "an id that is new is anybody's")
        }
    }

    @Test("A request with a used id gets an error, also from admins and former owners")
    func routes() async throws {
        let (id, ann) = (try #require(AudienceID("s")), try #require(UserID("ann")))
        try await withSchool { tree in
            var change = Audiences.Change()
            (change.name, change.kind, change.members) = ("S", .school, [ann: .owner])
            let asked = change
            _ = try await Audiences(tree).remove(id, by: .user(ann))
            for actor in [.admin, .user(ann)] as [AudienceActor] {
                let failure = await #expect(throws: Failure.self) {
                    try await Audiences(tree).put(id, asked, by: actor)
                }
                #expect(failure?.code == .wrongState && failure?.description.contains("another id") == true)
            }
            #expect(try await tree.get("audiences") == nil)
        }
    }

    @Test("An import of all audiences, or of everything, restores deleted ones", arguments: [false, true])
    func imported(isOfEverything: Bool) async throws {
        let path: TreePath = isOfEverything ? .root : "audiences"
        try await withSchool { tree in
            let all = try #require(await tree.get(path))
            try await tree.set("audiences/s", to: nil)
            #expect(try await tree.get("memberships") == nil)
            try await tree.set(path, to: all)
            #expect(try await tree.get("audiences/s") == Self.school)
            #expect(try await tree.get("memberships") == ["ann": ["s": "owner"], "bob": ["s": "reader"]])
        }
    }

    @Test("A client that deletes all audiences at once may create them again, one by one")
    func cleared() async throws {
        try await withSchool { tree in
            try await tree.set(.root, to: nil)
            try await tree.set("audiences/s", to: Self.school)
            #expect(try await tree.get("audiences/s") == Self.school)
        }
    }
}
