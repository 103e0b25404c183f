import TreeModel

/// The stories of audiences, with the other data about their posts.
struct NaiveAudienceFeeds: Sendable {
    /// A post in a story, with its position: the update, and the position among the posts of that update.
    struct Entry: Sendable, Equatable {
        let post: String
        let commit: Int
        let number: Int

        func isBefore(_ other: Entry) -> Bool { (commit, number) < (other.commit, other.number) }
    }

    /// The entries by audience, the oldest first.
    var lists: [String: [Entry]] = [:]
    /// The ids of audiences that were deleted.
    var used: Set<String> = []
    /// Posts, each with an author, whose photos are not for everybody, or once were not.
    var restricted: Set<[String]> = []
}

extension NaiveSocial {
    private static let roles: [TreeValue] = ["owner", "poster", "reader"]
    private static let maxAudiences = 20

    // MARK: Refusals

    /// Whether an update creates an audience with the id of a deleted one.
    func refuses(_ writes: [NaiveWrite]) -> Bool {
        var after = main
        for write in writes { after[write.path] = write.value }
        return after.keys("audiences").contains { stories.used.contains($0) && !exists("audiences/\($0)") }
    }

    // MARK: Effects

    /// Maintains audiences: with an owner or the heir of a deleted one, and with the other sides of membership and the
    /// copies of posts.
    mutating func keepAudiences(_ before: NaiveTree) {
        for audience in main.keys("audiences") {
            let path = "audiences/\(audience)/members"
            func owners(_ tree: NaiveTree) -> [String] { tree.keys(path).filter { tree["\(path)/\($0)"] == "owner" } }
            func others(_ role: TreeValue) -> [String] { main.keys(path).filter { main["\(path)/\($0)"] == role } }
            let lost = owners(before)
            if owners(main).isEmpty, !lost.isEmpty {
                let heirs = lost + others("poster") + others("reader")
                let heir = heirs.first { !jobs.deletedPeople.contains($0) }
                if let heir { set("\(path)/\(heir)", to: "owner") }
            }
        }
        for keys in before.nodes("audience_posts/*/audiences/*")
        where main["audience_posts/\(keys[0])/audiences"] == nil {
            set("audience_posts/\(keys[0])", to: nil)
        }
        set("memberships", to: nil)
        for keys in main.nodes("audiences/*/members/*") {
            guard let role = role(of: keys[1], in: keys[0]) else { continue }
            set("memberships/\(keys[1])/\(keys[0])", to: role)
        }
        copyStories()
    }

    /// Gives each audience a copy of each of its posts, and no others.
    mutating func copyStories() {
        set("stories", to: nil)
        for post in main.keys("audience_posts") {
            for audience in audiences(ofPost: post) { set("stories/\(audience)/\(post)", to: copy(ofPost: post)) }
        }
    }

    /// Maintains the order of stories, and records the pending work for deleted audiences.
    mutating func tellStories(_ written: Written) {
        for (number, post) in written.touched("audience_posts/*", in: main).enumerated() {
            let id = post.keys[0]
            let audiences = Set(audiences(ofPost: id))
            for audience in Set(stories.lists.keys).union(audiences) {
                let isThere = stories.lists[audience, default: []].contains { $0.post == id }
                if isThere, !audiences.contains(audience) {
                    stories.lists[audience]?.removeAll { $0.post == id }
                } else if !isThere, audiences.contains(audience) {
                    let entry = NaiveAudienceFeeds.Entry(post: id, commit: commit, number: number)
                    stories.lists[audience, default: []].append(entry)
                }
            }
            if let author = Self.author(post.after) { stories.restricted.insert([id, author]) }
        }
        for audience in written.before.keys("audiences") where !exists("audiences/\(audience)") {
            stories.used.insert(audience)
            if !stories.lists[audience, default: []].isEmpty { jobs.deletedAudiences.insert(audience) }
        }
    }

    /// Applies the results of jobs for deleted people and audiences.
    mutating func observeAudiences(_ found: NaiveTree) {
        var gone: [NaiveWrite] = []
        for post in main.keys("audience_posts") where found["audience_posts/\(post)"] == nil {
            guard let author = Self.author(main["audience_posts/\(post)"]) else { continue }
            if jobs.deletedPeople.contains(author) { gone.append(NaiveWrite("audience_posts/\(post)", nil)) }
        }
        for keys in main.nodes("audiences/*/members/*") where jobs.deletedPeople.contains(keys[1]) {
            let path = NaiveTree.fill("audiences/*/members/*", keys)
            if role(of: keys[1], in: keys[0]) != nil, found[path] == nil { gone.append(NaiveWrite(path, nil)) }
        }
        apply(gone)
        gone = []
        for keys in main.nodes("audience_posts/*/audiences/*") where jobs.deletedAudiences.contains(keys[1]) {
            let path = NaiveTree.fill("audience_posts/*/audiences/*", keys)
            if found[path] == nil { gone.append(NaiveWrite(path, nil)) }
        }
        apply(gone)
    }

    // MARK: Questions

    /// Returns a person's role in an audience; nil for non-members.
    func role(of uid: String, in audience: String) -> TreeValue? {
        main["audiences/\(audience)/members/\(uid)"].flatMap { Self.roles.contains($0) ? $0 : nil }
    }

    /// Returns the audiences of a post.
    func audiences(ofPost post: String) -> [String] {
        let path = "audience_posts/\(post)/audiences"
        return Array(main.keys(path).filter { main["\(path)/\($0)"] == true }.sorted().prefix(Self.maxAudiences))
    }

    func storyPosts(by uid: String) -> [String] {
        main.keys("audience_posts").filter { Self.author(main["audience_posts/\($0)"]) == uid }
    }

    /// Returns the copy of a post that members see.
    func copy(ofPost post: String) -> TreeValue? {
        guard var fields = main["audience_posts/\(post)"]?.object else { return nil }
        fields["audiences"] = nil
        return .object(fields)
    }

    /// Whether a person may see a post for audiences.
    func knows(_ uid: String, ofStoryPost post: String) -> Bool {
        main.text("audience_posts/\(post)/author/uid") == uid
            || audiences(ofPost: post).contains { role(of: uid, in: $0) != nil }
    }

    /// Whether a person is shown a post for audiences: it must be a valid post, without a block between its author and
    /// the person.
    private func isShown(storyPost post: String, to viewer: String) -> Bool {
        let record = main["audience_posts/\(post)"]
        guard let author = Self.author(record), record?["timestamp"]?.integerValue != nil else { return false }
        return !areBlocked(author, viewer)
    }

    /// Returns the posts of an audience, the newest first.
    func story(of audience: String, for viewer: String) -> [String] {
        stories.lists[audience, default: []].map(\.post).filter { isShown(storyPost: $0, to: viewer) }.reversed()
    }

    /// Returns the posts of all of a person's audiences, the newest first: each at its position in the last of them.
    func allStories(for uid: String) -> [(post: String, audiences: [String])] {
        let entries = main.keys("memberships/\(uid)").flatMap { stories.lists[$0, default: []] }
        let last = Dictionary(grouping: entries, by: \.post).compactMap { $0.value.max { $0.isBefore($1) } }
        return last.sorted { $1.isBefore($0) }.filter { isShown(storyPost: $0.post, to: uid) }.map { entry in
            (entry.post, audiences(ofPost: entry.post).filter { exists("memberships/\(uid)/\($0)") })
        }
    }
}
