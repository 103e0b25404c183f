import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

/// A tree with people who post and follow each other, with the expected feeds in their simplest form.
struct FeedModel {
    let tree: TreeStore
    let worker: FollowUpTaskWorker
    /// All posts in the order of publication.
    private(set) var posts: [(id: String, author: String)] = []
    private(set) var follows: [String: Set<String>] = [:]

    init(_ tree: TreeStore) {
        self.tree = tree
        worker = FollowUpTaskWorker(tree, clock: { 1000 }, logger: Logger(label: "test"))
    }

    /// Returns the expected posts of a person's feed, the newest first.
    func feed(of uid: String) -> [String] {
        posts.filter { $0.author == uid || follows[uid, default: []].contains($0.author) }.map(\.id).reversed()
    }

    static func post(by uid: String, _ text: String = "x") -> TreeValue {
        ["timestamp": 1, "text": .string(text), "author": ["uid": .string(uid), "full_name": .string(uid)]]
    }

    mutating func post(_ id: String, by uid: String) async throws {
        try await tree.set(PostNodes.post() / TreeKey(id), to: Self.post(by: uid))
        posts.append((id, uid))
    }

    /// Publishes posts with the given ids in one commit.
    mutating func post(_ ids: [String], by uid: String) async throws {
        var update = MultiPathUpdate()
        for id in ids { update[PostNodes.post() / (try TreeKey(id))] = Self.post(by: uid) }
        try await tree.update(update)
        posts += ids.sorted().map { ($0, uid) }
    }

    mutating func delete(_ id: String) async throws { try await delete([id]) }

    /// Deletes posts in one commit.
    mutating func delete(_ ids: [String]) async throws {
        var update = MultiPathUpdate()
        for id in ids { update[PostNodes.post() / (try TreeKey(id))] = nil }
        try await tree.update(update)
        posts.removeAll { ids.contains($0.id) }
    }

    /// Gives a post to another author: it is published again.
    mutating func give(_ id: String, to uid: String) async throws {
        try await tree.set(PostNodes.post() / TreeKey(id) / "author" / "uid", to: .string(uid))
        guard let index = posts.firstIndex(where: { $0.id == id }), posts[index].author != uid else { return }
        posts.remove(at: index)
        posts.append((id, uid))
    }

    mutating func follow(_ follower: String, _ followee: String) async throws {
        guard follows[follower, default: []].insert(followee).inserted else { return }
        try await tree.set(try TreePath("people/\(follower)/following/\(followee)"), to: true)
    }

    mutating func unfollow(_ follower: String, _ followee: String) async throws {
        follows[follower]?.remove(followee)
        try await tree.set(try TreePath("followers/\(followee)/\(follower)"), to: nil)
    }

    mutating func block(_ blocker: String, _ other: String) async throws {
        for (one, followee) in [(blocker, other), (other, blocker)] { follows[one]?.remove(followee) }
        try await tree.set(try TreePath("blocking/\(blocker)/\(other)"), to: true)
    }

    /// - Parameter isWritten: Whether the service lives long enough to write the results of the reading.
    func page(
        of uid: String, before cursor: PostPosition? = nil, limit: Int = 20, _ bounds: FeedBounds = FeedBounds(),
        isWritten: Bool = true
    ) async throws -> FeedPage {
        let reader = try #require(UserID(uid))
        let home = HomeFeed(tree, tasks: worker, bounds)
        let (page, upkeep) = try await home.page(of: reader, before: cursor, limit: limit, FeedView(viewer: reader))
        if let upkeep, isWritten { try await home.write(upkeep) }
        return page
    }

    /// Returns the posts of all pages of a feed, one page after the other.
    func walk(
        _ uid: String, limit: Int = 20, _ bounds: FeedBounds = FeedBounds()
    ) async throws -> (ids: [String], isComplete: Bool) {
        var (ids, isComplete, cursor): ([String], Bool, PostPosition?) = ([], true, nil)
        repeat {
            let page = try await page(of: uid, before: cursor, limit: limit, bounds)
            ids += page.ids
            if cursor == nil { isComplete = page.isComplete }
            #expect(page.posts.hasMore == (page.posts.next != nil))
            cursor = page.posts.next
        } while cursor != nil
        return (ids, isComplete)
    }
}

extension FeedPage {
    var ids: [String] { items.map(\.id.string) }
}

/// Runs a test's body against a tree in memory.
func withFeeds(_ body: (inout FeedModel) async throws -> Void) async throws {
    let tree = try await TreeStore(
        engine: MemoryEngine(), derivations: SocialDerivations.strata, isMaintained: false, clock: { 1000 })
    var model = FeedModel(tree)
    try await body(&model)
    await tree.close()
}
