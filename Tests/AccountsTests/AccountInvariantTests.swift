import Model
import Testing
import Tree
import TreeModel

@testable import Accounts

@Suite("Rules of the audit of the tree of accounts")
struct AccountInvariantTests {
    /// Damage to a store with the accounts `ann` and `bob`, and the kinds of the resulting faults.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isMended: Bool
        let found: [AccountInvariant.Kind]
        let removed: [TreePath]
        let written: [TreePath: TreeValue]

        init(
            _ name: String, _ found: [AccountInvariant.Kind], isMended: Bool = true, removed: [TreePath] = [],
            written: [TreePath: TreeValue] = [:]
        ) {
            (testDescription, self.found, self.isMended) = (name, found, isMended)
            (self.removed, self.written) = (removed, written)
        }
    }

    private static let address = EmailAddress("ann@example.com").map(AccountPaths.email) ?? AccountNodes.account()
    private static let phone = AccountPaths.phone("+491234567")
    private static let identity = AccountPaths.identity("google.com", "7")

    static let damages: [Damage] = [
        Damage("nothing", []),
        Damage("an address leads nowhere", [.unlisted], removed: [address]),
        Damage("a number and an identity lead nowhere", [.unlisted, .unlisted], removed: [phone, identity]),
        Damage("an address leads to another account", [.unlisted, .dangling], written: [address: "bob"]),
        Damage("an address leads to no account", [.unlisted, .dangling], written: [address: "eve"]),
        Damage(
            "an address of nobody leads to somebody", [.dangling],
            written: [AccountPaths.indexes[0] / "other": "ann"]),
        Damage(
            "an account is lost", [.dangling, .dangling, .dangling, .miscounted],
            removed: [AccountNodes.account() / "ann"]),
        Damage(
            "an account has no time", [.unreadable], isMended: false,
            removed: [AccountNodes.account() / "ann" / "created"]),
        Damage(
            "an address is none", [.unreadable], isMended: false,
            written: [AccountNodes.account() / "ann" / "email": "nobody"]),
        Damage(
            "a number is none", [.unreadable], isMended: false, written: [AccountNodes.account() / "ann" / "phone": 5]),
        Damage(
            "identities are none", [.unreadable], isMended: false,
            written: [AccountNodes.account() / "ann" / "identities": "x"]),
        Damage(
            "two accounts have one address", [.twice], isMended: false,
            written: [AccountNodes.account() / "bob" / "email": "ann@example.com"]),
        Damage(
            "a session of nobody", [.dangling], written: [AccountNodes.session() / "eve" / "s": ["created": 1]]),
        Damage("the number of accounts is another", [.miscounted], written: [AccountNodes.count(): 7]),
        Damage("the number of accounts is lost", [.miscounted], removed: [AccountNodes.count()]),
    ]

    @Test(
        "Each kind of damage is found, and corrected where possible; no other fault is found",
        arguments: damages)
    func damage(_ damage: Damage) async throws {
        try await withAccounts { fixture in
            try await fixture.perform(
                .create, ["localId": "ann", "email": "ann@example.com", "phoneNumber": "+491234567"], by: Fixture.admin)
            try await fixture.perform(.create, ["localId": "bob"], by: Fixture.admin)
            try await fixture.store.transact { transaction in
                let ann = try transaction.account("ann")
                var new = ann
                new.identities = [FederatedIdentity(provider: "google.com", rawID: "7")]
                try transaction.replace(ann, by: new)
            }
            _ = try await fixture.signUpAnonymously()
            #expect(try await Self.findings(in: fixture.tree) == [])

            var update = MultiPathUpdate()
            for path in damage.removed { update[path] = nil }
            for (path, value) in damage.written { update[path] = value }
            try await fixture.tree.update(update)
            #expect(try await Self.findings(in: fixture.tree) == damage.found)

            // A repair applies one rule after the other, too.
            for rule in AccountInvariant.all {
                var mending = MultiPathUpdate()
                let writes = try await fixture.tree.snapshot { snapshot throws(TreeError) in
                    try Self.writes(by: rule, in: snapshot)
                }
                for write in writes { mending[write.path] = write.value }
                try await fixture.tree.update(mending)
            }
            #expect(try await Self.findings(in: fixture.tree) == (damage.isMended ? [] : damage.found))
        }
    }

    @Test(
        "A change of one of two accounts with the same address does not affect the other",
        arguments: [true, false])
    func oneAddress(isDeleted: Bool) async throws {
        try await withAccounts { fixture in
            let ann = try await fixture.signUp()
            let bob = try await fixture.signUp("bob@example.com")
            let account = AccountNodes.account() / (try TreeKey(bob.uid))
            try await fixture.tree.set(account / "email", to: "ann@example.com")
            if isDeleted {
                try await fixture.perform(.delete, ["localId": .string(bob.uid)], by: Fixture.admin)
            } else {
                let name: JSONValue = ["localId": .string(bob.uid), "displayName": "Bob"]
                try await fixture.perform(.update, name, by: Fixture.admin)
                let address: JSONValue = ["localId": .string(bob.uid), "email": "new@example.com"]
                try await fixture.perform(.update, address, by: Fixture.admin)
            }
            #expect(try await fixture.signIn().uid == ann.uid)
        }
    }

    @Test("Regular changes of accounts, sessions and codes cause no faults")
    func sound() async throws {
        try await withAccounts { fixture in
            let ann = try await fixture.signUp()
            _ = try await fixture.signIn()
            try await fixture.perform(.update, ["idToken": .string(ann.idToken), "email": "new@example.com"])
            try await fixture.perform(.sendOobCode, ["requestType": "PASSWORD_RESET", "email": "new@example.com"])
            let bob = try await fixture.signUp("bob@example.com")
            try await fixture.perform(.update, ["localId": .string(bob.uid), "disableUser": true], by: Fixture.admin)
            #expect(try await Self.findings(in: fixture.tree) == [])
            try await fixture.perform(.delete, ["localId": .string(ann.uid)], by: Fixture.admin)
            #expect(try await Self.findings(in: fixture.tree) == [])
        }
    }

    /// Returns the kinds of all faults, in the order of the rules.
    private static func findings(in tree: TreeStore) async throws -> [AccountInvariant.Kind] {
        var kinds: [AccountInvariant.Kind] = []
        for rule in AccountInvariant.all {
            kinds += try await tree.snapshot { snapshot throws(TreeError) in
                var count = try writes(by: rule, in: snapshot).count
                if case .report(let complaint) = rule.check {
                    for node in try rule.place.nodes(in: snapshot, limit: 100) {
                        if try complaint(node, snapshot) != nil { count += 1 }
                    }
                }
                return Array(repeating: rule.kind, count: count)
            }
        }
        return kinds
    }

    /// Returns the writes by which a rule corrects the tree.
    private static func writes(by rule: AccountInvariant, in snapshot: TreeSnapshot) throws(TreeError) -> [TreeWrite] {
        guard case .mend(let writes) = rule.check else { return [] }
        var wanted: [TreeWrite] = []
        for node in try rule.place.nodes(in: snapshot, limit: 100) {
            for write in try writes(node, snapshot) where try snapshot.get(write.path) != write.value {
                wanted.append(write)
            }
        }
        return wanted
    }
}
