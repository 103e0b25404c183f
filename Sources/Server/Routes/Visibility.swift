import Access
import Model
import Rules
import Synchronization
package import Tree
import TreeModel

/// The visibility of the service, as the rules in force define it: for strangers, anonymous accounts and members. Its
/// effects on pages, photos and routes are decided here once.
package final class Visibility: Sendable {
    /// The visibility at one time.
    package struct State: Sendable, Hashable {
        /// Whether the service is closed: a stranger may not read the posts.
        package var isClosed = true
        /// Whether anonymous accounts are strangers: members may read something that they may not.
        package var isForMembers = false
        /// Whether not even a member may read all posts, so that a post may be for its author alone.
        package var hidesPosts = false

        /// The state of a service that lets nobody in.
        package static let shut = State()
    }

    private let tree: TreeStore
    /// Whether everybody may do everything in a tree without rules.
    private let isOpenWithoutRules: Bool
    /// The latest state, with the number of changes of the rules at which it was found; nil for none.
    private let known = Mutex<(changeCount: Int, state: State)?>(nil)

    package init(_ tree: TreeStore, isOpenWithoutRules: Bool) {
        self.tree = tree
        self.isOpenWithoutRules = isOpenWithoutRules
    }

    /// The present state. It is kept until the rules change, unless they look at data.
    ///
    /// - Throws: `TreeError`, the engine's failure. Rules that cannot be read close the service.
    package var state: State {
        get async throws {
            let changeCount = tree.rulesChangeCount
            if let known = known.withLock(\.self), known.changeCount == changeCount { return known.state }
            let (state, looksAtData) = try await tree.snapshot { [self] snapshot in try judge(in: snapshot) }
            if !looksAtData { known.withLock { $0 = (changeCount, state) } }
            return state
        }
    }

    private func judge(in snapshot: TreeSnapshot) throws(TreeError) -> (state: State, looksAtData: Bool) {
        var looksAtData = false
        func mayRead(_ path: TreePath, _ auth: JSONValue?) throws(TreeError) -> Bool {
            let requester = Requester(auth: auth, mayUseTreesWithoutRules: isOpenWithoutRules)
            let read = try requester.judgement(of: path, matching: nil, in: snapshot)
            if !read.looksAtNothing { looksAtData = true }
            return read.isAllowed
        }
        do throws(TreeError) {
            let (member, guest) = (Self.somebody(by: "password"), Self.somebody(by: Identity.anonymousProvider))
            let (posts, announcements) = (PostNodes.post(), NotificationNodes.announcement())
            var state = State()
            state.isClosed = try !mayRead(posts, nil)
            let seesPosts = try mayRead(posts, member)
            let seesMore = try mayRead(announcements, member)
            let guests = (posts: try mayRead(posts, guest), more: try mayRead(announcements, guest))
            state.isForMembers = seesPosts && !guests.posts || seesMore && !guests.more
            // Rules that let nobody in, and trees without rules, hide nothing from members: there are none.
            state.hidesPosts = seesMore && !seesPosts
            return (state, looksAtData)
        } catch {
            guard error.code == .unreadableRules else { throw error }
            return (.shut, true)
        }
    }

    /// Returns the variable `auth` of a user without data, who has signed in with a provider.
    private static func somebody(by provider: String) -> JSONValue {
        let uid = "tintype-nobody"
        return [
            "uid": .string(uid), "provider": .string(provider),
            "token": [
                "sub": .string(uid), "user_id": .string(uid),
                "firebase": ["sign_in_provider": .string(provider), "identities": .object([:])],
            ],
        ]
    }
}
