import TreeModel

/// The stories of audiences, and what else has to be known of the posts for them.
struct NaiveAudienceFeeds: Sendable {
    /// A post in a story, with its place among all: the update, and the place among the posts of that.
    struct Entry: Sendable, Equatable {
        let post: String
        let commit: Int
        let number: Int

        func isBefore(_ other: Entry) -> Bool { (commit, number) < (other.commit, other.number) }
    }

    /// By the audience, the oldest first.
    var lists: [String: [Entry]] = [:]
    /// The ids of audiences that were deleted.
    var used: Set<String> = []
    /// Posts, each with an author, of which the photos are not for everybody, or were not as long as the post was there.
    var restricted: Set<[String]> = []
}

extension NaiveSocial {
    private static let roles: [TreeValue] = ["owner", "poster", "reader"]
    private static let maxAudiences = 20

    // MARK: What is refused

    /// Whether an update makes an audience with the id of one that was deleted.
    func refuses(_ writes: [NaiveWrite]) -> Bool {
        var after = main
        for write in writes { after[write.path] = write.value }
        return after.keys("audiences").contains { stories.used.contains($0) && !exists("audiences/\($0)") }
    }

    // MARK: What follows

    /// Keeps audiences as they have to be: with an owner or the heir of one who is deleted, and with the other sides of
    /// membership and the copies of posts.
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

    /// Gives each audience a copy of each of its posts, and nothing else.
    mutating func copyStories() {
        set("stories", to: nil)
        for post in main.keys("audience_posts") {
            for audience in audiences(ofPost: post) { set("stories/\(audience)/\(post)", to: copy(ofPost: post)) }
        }
    }

    /// Keeps the order of stories, and takes down what is to be done about audiences that have gone.
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

    /// Takes over what jobs have done about people and audiences that are gone.
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

    /// What somebody may do in an audience; nil for who is no member.
    func role(of uid: String, in audience: String) -> TreeValue? {
        main["audiences/\(audience)/members/\(uid)"].flatMap { Self.roles.contains($0) ? $0 : nil }
    }

    /// The audiences for which a post is.
    func audiences(ofPost post: String) -> [String] {
        let path = "audience_posts/\(post)/audiences"
        return Array(main.keys(path).filter { main["\(path)/\($0)"] == true }.sorted().prefix(Self.maxAudiences))
    }

    func storyPosts(by uid: String) -> [String] {
        main.keys("audience_posts").filter { Self.author(main["audience_posts/\($0)"]) == uid }
    }

    /// What members see of a post.
    func copy(ofPost post: String) -> TreeValue? {
        guard var fields = main["audience_posts/\(post)"]?.object else { return nil }
        fields["audiences"] = nil
        return .object(fields)
    }

    /// Whether somebody may know of a post for audiences.
    func knows(_ uid: String, ofStoryPost post: String) -> Bool {
        main.text("audience_posts/\(post)/author/uid") == uid
            || audiences(ofPost: post).contains { role(of: uid, in: $0) != nil }
    }

    /// Whether somebody is shown a post for audiences: as a post that it is, and of nobody whom they have blocked.
    private func isShown(storyPost post: String, to viewer: String) -> Bool {
        let record = main["audience_posts/\(post)"]
        guard let author = Self.author(record), record?["timestamp"]?.integerValue != nil else { return false }
        return !areBlocked(author, viewer)
    }

    /// The posts of an audience, the newest first.
    func story(of audience: String, for viewer: String) -> [String] {
        stories.lists[audience, default: []].map(\.post).filter { isShown(storyPost: $0, to: viewer) }.reversed()
    }

    /// The posts of all audiences of which somebody is a member, the newest first: each where it came to the last of them.
    func allStories(for uid: String) -> [(post: String, audiences: [String])] {
        let entries = main.keys("memberships/\(uid)").flatMap { stories.lists[$0, default: []] }
        let last = Dictionary(grouping: entries, by: \.post).compactMap { $0.value.max { $0.isBefore($1) } }
        return last.sorted { $1.isBefore($0) }.filter { isShown(storyPost: $0.post, to: uid) }.map { entry in
            (entry.post, audiences(ofPost: entry.post).filter { exists("memberships/\(uid)/\($0)") })
        }
    }
}
