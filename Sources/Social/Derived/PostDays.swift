import Model
package import Tree

/// Maintains the number of posts of each list on each day, so that posts can be counted quickly, also within a period:
/// whole days by these numbers, and the two days at its ends by their keys.
///
///     post_days/{day}                           posts for everybody
///     audience_post_days/{day}                  posts for audiences
///     post_days_by/{person}/{day}               a person's posts for everybody
///     audience_post_days_by/{person}/{day}      a person's posts for audiences
///
/// The numbers are stored in the tree of the service's own data. A day is a number of days since the epoch, UTC, from
/// the time in the post's id; keys that are not ids of posts are not counted.
package struct PostDays: Derivation {
    /// The kinds of lists whose posts are counted.
    private enum Kind: Sendable, CaseIterable {
        case posts, audiencePosts, postsOf, audiencePostsBy

        /// The parent path of the numbers.
        var root: TreePath {
            switch self {
            case .posts: PostNodes.day()
            case .audiencePosts: AudienceNodes.day()
            case .postsOf: PostNodes.dayOf()
            case .audiencePostsBy: AudienceNodes.dayOf()
            }
        }

        var isOfPeople: Bool { self == .postsOf || self == .audiencePostsBy }
    }

    /// The length of a day, in milliseconds.
    private static let day: Int64 = 86_400_000
    /// The number of keys that are read at a time.
    private static let page = 1000

    static let all = Kind.allCases.map { PostDays(kind: $0) }

    private let kind: Kind

    package var place: TreePattern {
        switch kind {
        case .posts: PostNodes.post.pattern
        case .audiencePosts: AudienceNodes.post.pattern
        case .postsOf: PeopleNodes.ownPost.pattern
        // Derivations do not see the derived list itself, so this kind follows the posts' authors.
        case .audiencePostsBy: TreePattern(AudienceNodes.post.path / "author" / "uid")
        }
    }

    package func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let (old, new) = (list(of: node.keys, node.before), list(of: node.keys, node.after))
        guard old != new, let id = node.keys.last.flatMap({ PostID($0.string) }) else { return [] }
        var writes: [TreeWrite] = []
        for (list, change) in [(old, -1), (new, 1)] {
            guard let path = list.flatMap({ Self.numbers(of: $0) }).map({ $0 / Self.key(of: id) }) else { continue }
            let count = max(0, (try snapshot.get(path)?.integerValue ?? 0) + Int64(change))
            writes.append(TreeWrite(path: path, value: count == 0 ? nil : .integer(count)))
        }
        return writes
    }

    /// Returns the list that a node belongs to; nil for none.
    private func list(of keys: [TreeKey], _ state: NodeState) -> TreePath? {
        guard state.isThere else { return nil }
        switch kind {
        case .posts: return PostNodes.post()
        case .audiencePosts: return AudienceNodes.post()
        case .postsOf: return UserID(keys[0].string).map { PeopleNodes.ownPost($0) }
        case .audiencePostsBy:
            guard case .leaf(.string(let uid)) = state else { return nil }
            return UserID(uid).map { AudienceNodes.postBy($0) }
        }
    }

    /// Returns the path of a list's numbers; nil for a list without numbers.
    private static func numbers(of list: TreePath) -> TreePath? {
        if list == PostNodes.post() { return Kind.posts.root }
        if list == AudienceNodes.post() { return Kind.audiencePosts.root }
        let keys = list.keys
        if keys.count == 3, let uid = UserID(keys[1].string), list == PeopleNodes.ownPost(uid) {
            return Kind.postsOf.root / uid.key
        }
        if keys.count == 2, let uid = UserID(keys[1].string), list == AudienceNodes.postBy(uid) {
            return Kind.audiencePostsBy.root / uid.key
        }
        return nil
    }

    private static func key(of id: PostID) -> TreeKey { TreeKey(unchecked: String(number(of: id))) }

    /// Returns the number of the day on which a post was created.
    private static func number(of id: PostID) -> Int64 { id.timestamp.milliseconds / day }

    private static func beginning(of number: Int64) -> Timestamp { Timestamp(milliseconds: number * day) }

    // MARK: Counting

    /// Returns the range of keys of posts created since one time and before another.
    package static func range(since: Timestamp?, until: Timestamp?) -> KeyRange {
        KeyRange(
            lower: since.map { .including(PostID.first(at: $0).key) } ?? .unbounded,
            upper: until.map { .excluding(PostID.first(at: $0).key) } ?? .unbounded)
    }

    /// Counts the posts of a list that were created since one time and before another.
    ///
    /// - Parameter areKept: Whether the numbers are correct, which they are once `SocialRepair` has processed all data.
    package static func count(
        _ list: TreePath, since: Timestamp?, until: Timestamp?, areKept: Bool, in snapshot: TreeSnapshot
    ) throws(TreeError) -> Int {
        guard areKept, let numbers = numbers(of: list) else {
            return try look(list, since: since, until: until, in: snapshot)
        }
        let (since, until) = (since ?? .min, until ?? .max)
        var count = 0
        for child in try snapshot.children(of: numbers) {
            guard let number = Int64(child.key.string), let value = child.value.integerValue else { continue }
            let (first, end) = (beginning(of: number), beginning(of: number + 1))
            if first >= since, end <= until {
                count += Int(value)
            } else if first < until, end > since {
                count += try look(list, since: max(first, since), until: min(end, until), in: snapshot)
            }
        }
        return count
    }

    /// Counts by reading the keys.
    private static func look(
        _ list: TreePath, since: Timestamp?, until: Timestamp?, in snapshot: TreeSnapshot
    ) throws(TreeError) -> Int {
        var (count, range) = (0, range(since: since, until: until))
        while true {
            let keys = try snapshot.keys(of: list, range: range, limit: page)
            count += keys.count { PostID($0.string) != nil }
            guard keys.count == page, let last = keys.last else { return count }
            range.lower = .excluding(last)
        }
    }
}

// MARK: - Repair

extension PostDays {
    /// Corrects the existing numbers.
    var repairingNumbers: RepairStage {
        RepairStage(place: TreePattern(kind.isOfPeople ? kind.root / "*" / "*" : kind.root / "*")) {
            node, snapshot throws(TreeError) in
            guard let list = list(ofNumber: node), let day = node.lastKey.flatMap({ Int64($0.string) }) else {
                return [TreeWrite(path: node, value: nil)]
            }
            return [TreeWrite(path: node, value: try Self.number(list, of: day, in: snapshot))]
        }
    }

    /// Adds the missing numbers; only the first post of a day adds its number, because all posts of the day would give
    /// the same.
    var addingNumbers: RepairStage {
        RepairStage(place: place) { node, snapshot throws(TreeError) in
            let keys = place.wildcards(of: node)
            var state = NodeState.object
            if kind == .audiencePostsBy { state = try snapshot.get(node).map { .leaf($0) } ?? .nothing }
            guard let id = keys.last.flatMap({ PostID($0.string) }), let list = list(of: keys, state),
                let path = Self.numbers(of: list).map({ $0 / Self.key(of: id) }), try !snapshot.exists(path)
            else { return [] }
            let day = Self.number(of: id)
            let range = Self.range(since: Self.beginning(of: day), until: Self.beginning(of: day + 1))
            let first = try snapshot.keys(of: list, range: range, limit: 1).first
            return first == id.key ? [TreeWrite(path: path, value: try Self.number(list, of: day, in: snapshot))] : []
        }
    }

    private func list(ofNumber node: TreePath) -> TreePath? {
        switch kind {
        case .posts: PostNodes.post()
        case .audiencePosts: AudienceNodes.post()
        case .postsOf: UserID(node.keys[1].string).map { PeopleNodes.ownPost($0) }
        case .audiencePostsBy: UserID(node.keys[1].string).map { AudienceNodes.postBy($0) }
        }
    }

    private static func number(
        _ list: TreePath, of number: Int64, in snapshot: TreeSnapshot
    ) throws(TreeError) -> TreeValue? {
        guard (0...Int64.max / day - 1).contains(number) else { return nil }
        let count = try look(list, since: beginning(of: number), until: beginning(of: number + 1), in: snapshot)
        return count == 0 ? nil : .integer(Int64(count))
    }
}
