import TreeModel

/// The actions of people, and all their effects, in the simplest form: a tree of facts in dictionaries, whose effects
/// are computed by going through all of it. It shares no code with the service.
struct NaiveSocial: Sendable {
    /// A post in the order of publication.
    struct Published: Sendable, Equatable {
        let id: String
        let author: String?
    }

    /// The facts, both sides of links, and the lists of posts; without numbers, search keys, feeds and notifications.
    private(set) var main = NaiveTree()
    private(set) var order: [Published] = []
    /// The number of updates that changed anything.
    private(set) var commit = 0
    /// Milliseconds since the epoch.
    var now: Int64
    /// Links of which a client has overwritten a mark.
    private(set) var overwritten: Set<[String]> = []
    /// The subjects of unfinished jobs.
    var jobs = Jobs()
    /// The copies of a person's name that a job must change: those that existed when the name changed.
    private(set) var staleCopies: [String: Set<String>] = [:]
    var told = NaiveNotifications()
    var stories = NaiveAudienceFeeds()
    var flags = NaiveFlags()

    struct Jobs: Sendable, Equatable {
        var deletedPosts: Set<String> = []
        var deletedPeople: Set<String> = []
        var renamed: Set<String> = []
        var deletedAudiences: Set<String> = []
    }

    /// A node that an update has touched.
    struct Touched {
        let keys: [String]
        let before: TreeValue?
        let after: TreeValue?
        /// Whether it was written itself, and not only as a part of more.
        let isDirect: Bool

        var isNew: Bool { before == nil && after != nil }
        var isGone: Bool { before != nil && after == nil }
    }

    init(now: Int64) { self.now = now }

    // MARK: Writes of clients and routes

    /// Applies an update, and computes its effects.
    mutating func apply(_ writes: [NaiveWrite]) {
        let before = main
        for write in writes { main[write.path] = write.value }
        // Only the service writes these.
        for path in ["stats", "unread"] { main[path] = nil }
        for uid in main.keys("people") { main["people/\(uid)/_search_index"] = nil }
        noteOverwritten(Written(before: before, writes: writes))
        keepAudiences(before)
        endFlags(before)
        guard main != before || writes.contains(where: { $0.path.hasPrefix("stats") }) else { return }
        commit += 1
        let written = Written(before: before, writes: writes)
        endFollowsOfBlocked(written)
        let follows = complete("people/*/following/*", "followers/*/*", written)
        _ = complete("blocking/*/*", "blocked/*/*", written)
        listPosts(written)
        takeDownJobs(written)
        publish(written)
        tellStories(written)
        tellFlags(written)
        tell(written, follows)
    }

    /// The writes of an update, and the tree before it.
    struct Written {
        let before: NaiveTree
        let writes: [NaiveWrite]

        /// Returns the nodes of a pattern that were touched.
        func touched(_ pattern: String, in after: NaiveTree) -> [Touched] {
            before.nodes(pattern).union(after.nodes(pattern)).sorted {
                $0.joined(separator: "/") < $1.joined(separator: "/")
            }
            .compactMap { keys in
                let path = NaiveTree.fill(pattern, keys)
                let isDirect = writes.contains { $0.path == path || $0.path.hasPrefix(path + "/") }
                let isPart = writes.contains { $0.path.isEmpty || path.hasPrefix($0.path + "/") }
                guard isDirect || isPart || before[path] != after[path] else { return nil }
                return Touched(keys: keys, before: before[path], after: after[path], isDirect: isDirect)
            }
        }
    }

    /// Ends the follows between the two people of a new block.
    private mutating func endFollowsOfBlocked(_ written: Written) {
        for pattern in ["blocking/*/*", "blocked/*/*"] {
            for block in written.touched(pattern, in: main) where block.isNew {
                for (one, other) in [(block.keys[0], block.keys[1]), (block.keys[1], block.keys[0])] {
                    main["people/\(one)/following/\(other)"] = nil
                    main["followers/\(other)/\(one)"] = nil
                }
            }
        }
    }

    /// A link that was added or removed.
    struct Link {
        let keys: [String]
        let isThere: Bool
        let isDirect: Bool
    }

    /// Repeats a change of either side of a link on the other.
    private mutating func complete(_ pattern: String, _ reversed: String, _ written: Written) -> [Link] {
        let old = written.before.nodes(pattern)
        let (one, other) = (main.nodes(pattern), Set(main.nodes(reversed).map { Array($0.reversed()) }))
        let direct = Set(written.touched(pattern, in: main).filter(\.isDirect).map(\.keys))
            .union(written.touched(reversed, in: main).filter(\.isDirect).map { Array($0.keys.reversed()) })
        var links: [Link] = []
        for keys in old.union(one).union(other) {
            let isChanged = old.contains(keys) != one.contains(keys) || old.contains(keys) != other.contains(keys)
            guard isChanged else { continue }
            let isThere = !old.contains(keys)
            let paths = [NaiveTree.fill(pattern, keys), NaiveTree.fill(reversed, keys.reversed())]
            for path in paths where (main[path] != nil) != isThere { main[path] = isThere ? true : nil }
            if !isThere, pattern.hasPrefix("people") { overwritten.remove(keys) }
            links.append(Link(keys: keys, isThere: isThere, isDirect: direct.contains(keys)))
        }
        return links
    }

    /// Records the existing links that an update writes: their marks are the client's then.
    private mutating func noteOverwritten(_ written: Written) {
        for keys in written.before.nodes("people/*/following/*") {
            let sides = ["people/\(keys[0])/following/\(keys[1])", "followers/\(keys[1])/\(keys[0])"]
            if written.writes.contains(where: { write in sides.contains { $0.overlaps(write.path) } }) {
                overwritten.insert(keys)
            }
        }
    }

    /// Lists the posts at their authors and at their hashtags.
    private mutating func listPosts(_ written: Written) {
        for uid in main.keys("people") { main["people/\(uid)/posts"] = nil }
        for id in main.keys("posts") {
            if let author = author(ofPost: id) { main["people/\(author)/posts/\(id)"] = true }
        }
        for post in written.touched("posts/*", in: main) {
            let id = post.keys[0]
            let (before, after) = (NaiveWords.tags(post.before), NaiveWords.tags(post.after))
            for tag in before.subtracting(after) { main["hashtags/\(tag)/\(id)"] = nil }
            for tag in after.subtracting(before) { main["hashtags/\(tag)/\(id)"] = true }
        }
    }

    private mutating func takeDownJobs(_ written: Written) {
        for uid in staleCopies.keys {
            staleCopies[uid] = staleCopies[uid]?.filter { path in !written.writes.contains { path.overlaps($0.path) } }
        }
        for post in written.touched("posts/*", in: main) where post.isGone { jobs.deletedPosts.insert(post.keys[0]) }
        for field in ["full_name", "profile_picture"] {
            for name in written.touched("people/*/\(field)", in: main) where name.before != name.after {
                let uid = name.keys[0]
                // A person without a name keeps the former one in their texts.
                guard main["people/\(uid)/full_name"] != nil else {
                    staleCopies[uid] = nil
                    continue
                }
                jobs.renamed.insert(uid)
                staleCopies[uid] = Set(copies(of: uid))
            }
        }
    }

    /// Maintains the order of publication: a post has its position from its appearance on, and a new one with another
    /// author.
    private mutating func publish(_ written: Written) {
        for post in written.touched("posts/*", in: main) {
            let (id, author) = (post.keys[0], Self.author(post.after))
            let old = order.firstIndex { $0.id == id }
            guard post.after != nil else {
                if let old { order.remove(at: old) }
                continue
            }
            if let old, author == nil || order[old].author == author {
                order[old] = Published(id: id, author: author)
                continue
            }
            if let old { order.remove(at: old) }
            order.append(Published(id: id, author: author))
        }
    }

    /// Counts an update that clients do not see.
    mutating func countCommit() { commit += 1 }

    /// Records a change by a job, not by an update.
    mutating func set(_ path: String, to value: TreeValue?) { main[path] = value }
}

// MARK: Questions

extension NaiveSocial {
    static let switches = ["data_processing", "content", "social"]

    /// Whether a person has consented, or has not decided.
    func agrees(_ uid: String, to name: String) -> Bool { main["privacy/\(uid)/\(name)"] != false }

    static func rawAuthor(_ post: TreeValue?) -> TreeValue? { post?["author"]?["uid"] }
    static func author(_ post: TreeValue?) -> String? { rawAuthor(post)?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }

    func author(ofPost id: String) -> String? { Self.author(main["posts/\(id)"]) }
    func exists(_ path: String) -> Bool { main[path] != nil }
    func follows(_ one: String, _ other: String) -> Bool { exists("people/\(one)/following/\(other)") }

    /// Whether one of two people has blocked the other.
    func areBlocked(_ one: String, _ other: String) -> Bool {
        one != other && (exists("blocking/\(one)/\(other)") || exists("blocking/\(other)/\(one)"))
    }

    /// Whether readers can be shown a post.
    func isShown(_ id: String) -> Bool {
        guard let post = main["posts/\(id)"], Self.author(post) != nil else { return false }
        return post["timestamp"]?.integerValue != nil
    }

    /// Returns the posts of a list, the newest first.
    func posts(for viewer: String? = nil, where isListed: (Published) -> Bool = { _ in true }) -> [String] {
        order.filter { post in
            guard isShown(post.id), isListed(post) else { return false }
            return viewer == nil || post.author.map { !areBlocked($0, viewer ?? "") } ?? true
        }.map(\.id).reversed()
    }

    func feed(of uid: String) -> [String] {
        posts(for: uid) { $0.author == uid || $0.author.map { follows(uid, $0) } ?? false }
    }

    /// Returns the first two comments on a post that a person is shown, among the first ten.
    func firstComments(_ post: String, for viewer: String?) -> [String] {
        Array(
            main.keys("comments/\(post)").prefix(10).filter { id in
                let comment = main["comments/\(post)/\(id)"]
                guard let author = comment?["author"]?["uid"]?.stringValue, comment?["text"]?.stringValue != nil,
                    comment?["timestamp"]?.integerValue != nil
                else { return false }
                return viewer.map { !areBlocked($0, author) } ?? true
            }.prefix(2))
    }

    /// All numbers, as they are stored at `stats`.
    var stats: TreeValue? {
        var stats = NaiveTree()
        for (pattern, place) in [
            ("likes/*/*", "posts/*/likes"), ("comments/*/*", "posts/*/comments"),
            ("people/*/posts/*", "people/*/posts"),
            ("people/*/following/*", "people/*/following"), ("followers/*/*", "people/*/followers"),
        ] {
            for (key, nodes) in Dictionary(grouping: main.nodes(pattern), by: { $0[0] }) {
                stats[NaiveTree.fill(place, [key])] = .integer(Int64(nodes.count))
            }
        }
        return stats.root
    }
}
