import Access
import Cryptography
import Model
import Tree
import TreeModel

@testable import Accounts

/// The caches of another host with the tree of a fixture.
struct FollowingHost: Sendable {
    let store: AccountStore
    let authority: TokenAuthority
    let access: AccessControl
    let signer: MediaSigner
    let adminKeys: AdminKeys
    let signingKeys: SigningKeys
    let mediaKeys: MediaSigningKeys
    /// The failures of the follower.
    let failures = Recorder<String>()
    /// An element after each report to a cache, and after each failure.
    private let events: AsyncStream<Void>
    private let event: AsyncStream<Void>.Continuation

    init(beside fixture: Fixture) async throws {
        let (clock, tree) = (fixture.clock, fixture.tree)
        let (events, event) = AsyncStream.makeStream(of: Void.self)
        (self.events, self.event) = (events, event)
        let revocations = RevocationList(now: { clock.now })
        store = AccountStore(
            tree: tree, clock: { clock.now },
            onRevocation: { uid, seconds in
                revocations.revoke(uid: uid, before: seconds)
                event.yield()
            })
        let authority = TokenAuthority(project: "demo", keys: try testKeys(), now: { clock.now })
        let access = AccessControl(
            AccessControl.Settings(peers: try PeerPolicy()), authority: authority, revocations: revocations,
            now: { clock.now })
        let signer = MediaSigner(keys: try MediaKeys(), now: { clock.now })
        (self.authority, self.access, self.signer) = (authority, access, signer)
        adminKeys = AdminKeys(of: store) { keys in
            access.replaceAdminKeys(keys)
            event.yield()
        }
        signingKeys = SigningKeys(of: store) { keys in
            authority.replaceKeys(keys)
            event.yield()
        }
        mediaKeys = MediaSigningKeys(of: store) { keys in
            signer.replaceKeys(keys)
            event.yield()
        }
    }

    /// Runs a body beside a follower.
    func following(_ follower: TreeFollower, _ body: () async throws -> Void) async throws {
        var follower = follower
        follower.longestDelay = 1
        try await withThrowingTaskGroup(of: Void.self) { [follower] group in
            group.addTask {
                await follower.run { error in
                    failures.add("\(error)")
                    event.yield()
                }
            }
            try await body()
            group.cancelAll()
        }
    }

    /// Waits until a condition holds that the next reports, or failures, may have fulfilled.
    func wait(until condition: () throws -> Bool) async rethrows {
        var iterator = events.makeAsyncIterator()
        while try !condition(), await iterator.next() != nil {}
    }

    /// Returns the error with which a token is refused; nil when it is accepted.
    func refusal(of token: String) -> AccessError? {
        do throws(AccessError) {
            _ = try access.proof(for: Credentials(peer: .network(address: "192.0.2.1"), token: token))
            return nil
        } catch {
            return error
        }
    }

    /// Returns the error with which a signed address is refused; nil when it is accepted.
    func refusal(ofAddress token: String) -> AccessError? {
        do throws(AccessError) {
            try signer.check(token, for: "/media/ann/1/a.jpg")
            return nil
        } catch {
            return error
        }
    }
}
