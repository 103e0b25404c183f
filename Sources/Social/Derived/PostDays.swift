import Model
package import Tree

/// Keeps how many posts each list has of each day, so that it is known at once how many there are, and of any time: those of whole
/// days by these numbers, and of the two days at its ends by a look.
///
///     post_days/{day}                           posts for everybody
///     audience_post_days/{day}                  posts for audiences
///     post_days_by/{person}/{day}               somebody's posts for everybody
///     audience_post_days_by/{person}/{day}      somebody's posts for audiences
///
/// They stand in the own tree. A day is a number of days since the epoch, UTC, by the time in the post's id; a key that is no
/// post's id is not counted.
package struct PostDays: Derivation {
    /// What numbers are kept of.
    private enum Kind: Sendable, CaseIterable {
        case posts, audiencePosts, postsOf, audiencePostsBy

        /// Where the numbers are.
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

    /// The milliseconds of a day.
    private static let day: Int64 = 86_400_000
    /// How many keys are read at a time.
    private static let page = 1000

    static let all = Kind.allCases.map { PostDays(kind: $0) }

    private let kind: Kind

    package var place: TreePattern {
        switch kind {
        case .posts: PostNodes.post.pattern
        case .audiencePosts: AudienceNodes.post.pattern
        case .postsOf: PeopleNodes.ownPost.pattern
        // The list itself is derived where no derivation sees it.
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

    /// The list that a node is in; nil for none.
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

    /// Where the numbers of a list are; nil for a list of which none are kept.
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

    /// The number of the day on which a post was made.
    private static func number(of id: PostID) -> Int64 { id.timestamp.milliseconds / day }

    private static func beginning(of number: Int64) -> Timestamp { Timestamp(milliseconds: number * day) }

    // MARK: Counting

    /// The keys of posts made since a time, and until another.
    package static func range(since: Timestamp?, until: Timestamp?) -> KeyRange {
        KeyRange(
            lower: since.map { .including(PostID.first(at: $0).key) } ?? .unbounded,
            upper: until.map { .excluding(PostID.first(at: $0).key) } ?? .unbounded)
    }

    /// Counts the posts of a list, made since a time and until another.
    ///
    /// - Parameter areKept: Whether the numbers are in order: not before `SocialRepair` has been through all data.
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

    /// Counts by the keys themselves.
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
    /// Mends the numbers that are there.
    var repairingNumbers: RepairStage {
        RepairStage(place: TreePattern(kind.isOfPeople ? kind.root / "*" / "*" : kind.root / "*")) {
            node, snapshot throws(TreeError) in
            guard let list = list(ofNumber: node), let day = node.lastKey.flatMap({ Int64($0.string) }) else {
                return [TreeWrite(path: node, value: nil)]
            }
            return [TreeWrite(path: node, value: try Self.number(list, of: day, in: snapshot))]
        }
    }

    /// Adds the numbers that are missing: each by the first post of its day, as all others would come to the same.
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
