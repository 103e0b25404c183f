import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("An audience whose last owner is deleted gets another one")
struct AudienceHeirTests {
    private func withAudience(
        _ members: TreeValue, _ body: (TreeStore, FollowUpTaskWorker) async throws -> Void
    ) async throws {
        let tree = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, isMaintained: false, clock: { 1000 })
        try await tree.set("audiences/c", to: ["name": "7b", "kind": "class", "members": members])
        try await body(tree, FollowUpTaskWorker(tree, clock: { 1000 }, logger: Logger(label: "test")))
        #expect(try await SocialRepair(tree, version: "v", logger: Logger(label: "test")).faults() == [])
        await tree.close()
    }

    private func beginDeletion(of people: [String], in tree: TreeStore) async throws {
        for uid in people { _ = try await PersonDeletion.begin(of: try #require(UserID(uid)), in: tree) }
    }

    struct Case: Sendable {
        let members: TreeValue
        let deleted: [String]
        /// The expected members in the end; nil without members.
        let left: TreeValue?
    }

    @Test(
        "The heir is the first remaining poster, else the first remaining reader",
        arguments: [
            Case(
                members: ["zoe": "owner", "bob": "reader", "cem": "poster", "dan": "poster"], deleted: ["zoe"],
                left: ["bob": "reader", "cem": "owner", "dan": "poster"]),
            Case(
                members: ["ann": "owner", "bob": "reader", "cem": "reader"], deleted: ["ann"],
                left: ["bob": "owner", "cem": "reader"]),
            Case(
                members: ["ann": "owner", "bob": "reader", "cem": "poster"], deleted: ["ann", "cem"],
                left: ["bob": "owner"]),
            Case(
                members: ["ann": "owner", "bob": "owner", "cem": "poster"], deleted: ["ann"],
                left: ["bob": "owner", "cem": "poster"]),
            Case(
                members: ["ann": "owner", "bob": "owner", "cem": "poster"], deleted: ["ann", "bob"],
                left: ["cem": "owner"]),
            Case(
                members: ["ann": "owner", "bob": "visitor", "cem": "reader"], deleted: ["ann"],
                left: ["bob": "visitor", "cem": "owner"]),
            Case(members: ["ann": "owner", "bob": "reader"], deleted: ["bob", "ann"], left: nil),
        ])
    func heir(example: Case) async throws {
        try await withAudience(example.members) { tree, worker in
            try await beginDeletion(of: example.deleted, in: tree)
            try await worker.runAll()
            #expect(try await tree.get("audiences/c/members") == example.left)
            #expect(try await tree.get("audiences/c/name") == "7b", "it is left to admins at least")
            for (uid, role) in example.left?.object ?? [:] where role != "visitor" {
                #expect(try await tree.get("memberships" / uid / "c") == role)
            }
        }
    }

    @Test("Heirs have heirs; an admin chooses the one after the last")
    func chain() async throws {
        let audience = try #require(AudienceID("c"))
        try await withAudience(["ann": "owner", "bob": "poster", "cem": "reader"]) { tree, worker in
            let steps: [(deleted: String, left: TreeValue?)] = [
                ("ann", ["bob": "owner", "cem": "reader"]), ("bob", ["cem": "owner"]), ("cem", nil),
            ]
            for (uid, left) in steps {
                try await beginDeletion(of: [uid], in: tree)
                try await worker.runAll()
                #expect(try await tree.get("audiences/c/members") == left)
            }
            let dan = try #require(UserID("dan"))
            _ = try await Audiences(tree).setMember(dan, to: .owner, of: audience, by: .admin)
            #expect(try await tree.get("memberships/dan/c") == "owner")
        }
    }

    @Test("An owner who stays is kept before an heir is chosen, for all ways of removing an owner who is being deleted")
    func removedByOthers() async throws {
        try await withAudience(["ann": "owner", "bob": "reader"]) { tree, worker in
            try await beginDeletion(of: ["ann"], in: tree)
            try await tree.set("audiences/c/members", to: ["bob": "reader"])
            #expect(try await tree.get("audiences/c/members") == ["bob": "owner"])
            try await worker.runAll()
        }
        try await withAudience(["ann": "owner", "bob": "poster", "zoe": "owner"]) { tree, worker in
            try await beginDeletion(of: ["ann"], in: tree)
            try await tree.set("audiences/c/members", to: ["bob": "poster"])
            #expect(try await tree.get("audiences/c/members") == ["bob": "poster", "zoe": "owner"])
            try await worker.runAll()
        }
    }
}
