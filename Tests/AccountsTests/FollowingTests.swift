import Access
import Cryptography
import Model
import Testing
import Tree
import TreeModel

@testable import Accounts

@Suite("Caches that follow what another host writes", .timeLimit(.minutes(10)))
struct FollowingTests {
    enum Revocation: CaseIterable {
        case disabledUser, deletedUser, wholeNode
    }

    @Test("A revocation refuses the tokens of its user alone", arguments: Revocation.allCases)
    func revocation(kind: Revocation) async throws {
        try await withAccounts { fixture in
            let (app, other) = (try await fixture.signUp(), try await fixture.signUpAnonymously())
            try await fixture.tree.set(AccountNodes.revocation("earlier" as TreeKey), to: 1)
            let host = try await FollowingHost(beside: fixture)
            try await host.following(host.store.revocationFollower) {
                await host.wait { host.access.revocations.entries.map(\.uid) == ["earlier"] }
                #expect(host.refusal(of: app.idToken) == nil)
                let uid: JSONValue = .string(app.uid)
                switch kind {
                case .disabledUser:
                    try await fixture.perform(.update, ["localId": uid, "disableUser": true], by: Fixture.admin)
                case .deletedUser:
                    try await fixture.perform(.delete, ["localId": uid], by: Fixture.admin)
                case .wholeNode:
                    let seconds = TreeValue.integer(fixture.clock.now.seconds + 1)
                    try await fixture.tree.set(
                        AccountNodes.revocation(), to: .object([try TreeKey(app.uid): seconds, "bad": "text"]))
                }
                await host.wait { host.refusal(of: app.idToken) != nil }
                #expect(host.refusal(of: app.idToken) == .revoked)
                #expect(host.refusal(of: other.idToken) == nil && host.failures.all.isEmpty)
            }
        }
    }

    @Test("A revocation stays when its record is deleted or replaced by an earlier or malformed one")
    func keptRevocation() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let (node, path) = (AccountNodes.revocation(), AccountNodes.revocation(try TreeKey(app.uid)))
            let seconds = TreeValue.integer(fixture.clock.now.seconds + 1)
            let host = try await FollowingHost(beside: fixture)
            try await host.following(host.store.revocationFollower) {
                try await fixture.tree.set(path, to: seconds)
                await host.wait { host.refusal(of: app.idToken) == .revoked }
                let writes: [(TreePath, TreeValue?)] = [
                    (path, nil), (path, 1), (path, "text"), (path, ["deeper": 1]), (node, nil), (node, "text"),
                ]
                for (number, write) in writes.enumerated() {
                    try await fixture.tree.set(write.0, to: write.1)
                    let next = "next\(number)"
                    try await fixture.tree.set(AccountNodes.revocation(try TreeKey(next)), to: 1)
                    await host.wait { host.access.revocations.entries.contains { $0.uid == next } }
                    #expect(host.refusal(of: app.idToken) == .revoked, "\(write)")
                }
            }
        }
    }

    @Test("A new admin key is good at once, and a removed one refused, also for an open connection")
    func adminKeys() async throws {
        try await withAccounts { fixture in
            let others = AdminKeys(of: fixture.store) { _ in }
            let first = try await others.add("first", lifetimeSeconds: nil).text.text
            let host = try await FollowingHost(beside: fixture)
            #expect(host.refusal(of: first) != nil)
            try await host.following(host.adminKeys.follower) {
                await host.wait { host.refusal(of: first) == nil }
                let second = try await others.add("second", lifetimeSeconds: nil).text.text
                #expect(host.refusal(of: "tintype_of-no-key") != nil)
                await host.wait { host.refusal(of: second) == nil }
                let proof = try host.access.proof(
                    for: Credentials(peer: .network(address: "192.0.2.1"), token: second))
                try await fixture.tree.set(AccountNodes.adminKey("bad" as TreeKey), to: "text")
                try await others.remove("second")
                await host.wait { host.refusal(of: second) != nil }
                #expect(throws: AccessError.revoked) { try host.access.recheck(proof) }
                #expect(host.refusal(of: first) == nil && host.failures.all.isEmpty)
            }
        }
    }

    @Test("A host's own change of admin keys is in force when it returns, while others change them")
    func ownAdminKeys() async throws {
        try await withAccounts { fixture in
            let others = AdminKeys(of: fixture.store) { _ in }
            let host = try await FollowingHost(beside: fixture)
            try await host.following(host.adminKeys.follower) {
                for number in 0..<30 {
                    async let other = others.add("other\(number)", lifetimeSeconds: nil)
                    let own = try await host.adminKeys.add("own", lifetimeSeconds: nil).text.text
                    #expect(host.refusal(of: own) == nil)
                    try await host.adminKeys.remove("own")
                    #expect(host.refusal(of: own) != nil)
                    _ = try await other
                }
            }
        }
    }

    @Test("A new key that signs tokens is known at once, and a disclosed one refused")
    func signingKeys() async throws {
        try await withAccounts { fixture in
            let others = SigningKeys(of: fixture.store)
            let host = try await FollowingHost(beside: fixture)
            func authority(_ ring: KeyRing) -> TokenAuthority {
                TokenAuthority(project: "demo", keys: ring, now: { [clock = fixture.clock] in clock.now })
            }
            let claims: [String: JSONValue] = ["sub": "ann", "firebase": ["sign_in_provider": "anonymous"]]
            let first = authority(try await others.load())
            let old = try first.issue(claims)
            #expect(host.refusal(of: old) != nil)
            try await host.following(host.signingKeys.follower) {
                await host.wait { host.refusal(of: old) == nil }
                let rotated = authority(try await others.rotate())
                #expect(rotated.jwks != first.jwks)
                await host.wait { host.authority.jwks == rotated.jwks }
                #expect(host.refusal(of: old) == nil)
                let fresh = authority(try await others.rotate(isCompromised: true))
                await host.wait { host.authority.jwks == fresh.jwks }
                #expect(host.refusal(of: old) == .badToken(.unknownKey))
                #expect(host.refusal(of: try fresh.issue(claims)) == nil && host.failures.all.isEmpty)

                try await host.signingKeys.rotate(isCompromised: true)
                #expect(host.refusal(of: try fresh.issue(claims)) == .badToken(.unknownKey), "its own change")
            }
        }
    }

    @Test("A new key that signs addresses is known at once, and a disclosed one refused")
    func mediaKeys() async throws {
        try await withAccounts { fixture in
            let others = MediaSigningKeys(of: fixture.store)
            let host = try await FollowingHost(beside: fixture)
            func address(_ keys: MediaKeys) -> String {
                MediaSigner(keys: keys, now: { [clock = fixture.clock] in clock.now })
                    .token(for: "/media/ann/1/a.jpg", lifetimeSeconds: 60)
            }
            let old = address(try await others.load())
            #expect(host.refusal(ofAddress: old) == .badToken(.unknownKey))
            try await host.following(host.mediaKeys.follower) {
                await host.wait { host.refusal(ofAddress: old) == nil }
                let rotated = address(try await others.rotate(isCompromised: false))
                await host.wait { host.refusal(ofAddress: rotated) == nil }
                #expect(host.refusal(ofAddress: old) == nil)
                let fresh = address(try await others.rotate(isCompromised: true))
                await host.wait { host.refusal(ofAddress: fresh) == nil }
                #expect(host.refusal(ofAddress: old) == .badToken(.unknownKey))
                #expect(host.refusal(ofAddress: rotated) == .badToken(.unknownKey) && host.failures.all.isEmpty)

                try await host.mediaKeys.rotate(isCompromised: true)
                #expect(host.refusal(ofAddress: fresh) == .badToken(.unknownKey), "its own change")
            }
        }
    }

    @Test("Keys that cannot be read leave the known ones in force, until they can be read")
    func damagedKeys() async throws {
        try await withAccounts { fixture in
            let host = try await FollowingHost(beside: fixture)
            let first = try await host.mediaKeys.load()
            let record = try await fixture.tree.get(AccountNodes.mediaKeys())
            let old = MediaSigner(keys: first, now: { [clock = fixture.clock] in clock.now })
                .token(for: "/media/ann/1/a.jpg", lifetimeSeconds: 60)
            try await host.following(host.mediaKeys.follower) {
                for damage in ["damaged", #"{"keys":[]}"#, 1, ["keys": "text"], nil] as [TreeValue?] {
                    let count = host.failures.all.count
                    try await fixture.tree.set(AccountNodes.mediaKeys(), to: damage)
                    await host.wait { host.failures.all.count > count }
                    #expect(host.refusal(ofAddress: old) == nil, "\(String(describing: damage))")
                    #expect(try await fixture.tree.get(AccountNodes.mediaKeys()) == damage, "it is not overwritten")

                    host.signer.replaceKeys(try MediaKeys())
                    try await fixture.tree.set(AccountNodes.mediaKeys(), to: record)
                    await host.wait { host.refusal(ofAddress: old) == nil }
                }
            }
        }
    }
}
