import TreeModel

/// Effects of routes outside the tree of clients, and of jobs.
extension NaiveSocial {
    // MARK: Notifications

    mutating func markRead(_ uid: String, where isChosen: (NaiveNotifications.Subject) -> Bool) {
        told.lists[uid] = told.lists[uid]?.map { notice in
            var notice = notice
            if isChosen(notice.subject) { notice.isUnread = false }
            return notice
        }
        for announcement in presentAnnouncements
        where isChosen(NaiveNotifications.Subject(kind: "announcement", announcement: announcement.id)) {
            told.read[uid, default: []].insert(announcement.id)
        }
    }

    /// Sends an announcement to a few people.
    mutating func send(letter id: String, to people: Set<String>) {
        countCommit()
        told.letters[id] = people
        for uid in people { told.tell(uid, Self.subject(id), at: commit) }
    }

    mutating func withdraw(letter id: String) {
        for uid in told.letters.removeValue(forKey: id) ?? [] { told.withdraw(uid, Self.subject(id)) }
    }

    private static func subject(_ letter: String) -> NaiveNotifications.Subject {
        NaiveNotifications.Subject(kind: "announcement", announcement: letter)
    }

    // MARK: Jobs

    /// Whether data about a person exist.
    func hasTraces(of uid: String) -> Bool {
        if ["people", "followers", "blocking", "blocked"].contains(where: { exists("\($0)/\(uid)") }) { return true }
        return order.contains { $0.author == uid } || main.nodes("likes/*/*").contains { $0[1] == uid }
            || !comments(by: uid).isEmpty || !told.lists[uid, default: []].isEmpty
            || exists("memberships/\(uid)") || !storyPosts(by: uid).isEmpty || hasFlags(by: uid)
            || exists("privacy/\(uid)")
    }

    func comments(by uid: String) -> [[String]] {
        main.nodes("comments/*/*").filter { main.text("comments/\($0[0])/\($0[1])/author/uid") == uid }
    }

    /// Returns the remaining data about the subjects of jobs that have ended.
    func leftovers(after old: Jobs) -> [String] {
        var left: [String] = []
        for post in old.deletedPosts.subtracting(jobs.deletedPosts) where !exists("posts/\(post)") {
            left += ["likes/\(post)", "comments/\(post)", "postFlags/\(post)"].filter { exists($0) }
        }
        for uid in old.deletedPeople.subtracting(jobs.deletedPeople) {
            if hasTraces(of: uid) { left.append("traces of \(uid)") }
        }
        for audience in old.deletedAudiences.subtracting(jobs.deletedAudiences) {
            left += stories.lists[audience, default: []].map { "\($0.post) in \(audience)" }
        }
        for uid in old.renamed.subtracting(jobs.renamed) {
            for path in copies(of: uid) where staleCopies[uid]?.contains(path) == true && !isPresent(path, uid) {
                left.append("the old name in \(path)")
            }
        }
        return left
    }

    /// Returns the paths of the copies of a person's name and picture.
    func copies(of uid: String) -> [String] {
        order.filter { $0.author == uid }.map { "posts/\($0.id)/author" }
            + storyPosts(by: uid).map { "audience_posts/\($0)/author" }
            + comments(by: uid).map { "comments/\($0[0])/\($0[1])/author" }
    }

    private func isPresent(_ path: String, _ uid: String) -> Bool {
        main["\(path)/full_name"] == main["people/\(uid)/full_name"] ?? .string(uid)
            && main["\(path)/profile_picture"] == main["people/\(uid)/profile_picture"]
    }

    /// Applies the results of jobs since the last look; only those that they must produce, sooner or later.
    mutating func observe(_ found: NaiveTree) {
        var gone: [NaiveWrite] = []
        func note(_ path: String, _ isAllowed: Bool) {
            if isAllowed, found[path] == nil { gone.append(NaiveWrite(path, nil)) }
        }
        for post in order { note("posts/\(post.id)", post.author.map { jobs.deletedPeople.contains($0) } ?? false) }
        apply(gone)
        gone = []
        for keys in main.nodes("likes/*/*") {
            note("likes/\(keys[0])/\(keys[1])", isGone(keys[0]) || jobs.deletedPeople.contains(keys[1]))
        }
        for keys in main.nodes("comments/*/*") {
            let path = "comments/\(keys[0])/\(keys[1])"
            note(path, isGone(keys[0]) || jobs.deletedPeople.contains(main.text("\(path)/author/uid") ?? ""))
        }
        for pattern in ["people/*/following/*", "blocking/*/*"] {
            for keys in main.nodes(pattern) where keys.contains(where: jobs.deletedPeople.contains) {
                note(NaiveTree.fill(pattern, keys), true)
            }
        }
        apply(gone)
        gone = []
        for uid in jobs.deletedPeople {
            note("people/\(uid)", true)
            note("privacy/\(uid)", true)
        }
        apply(gone)
        observeAudiences(found)
        observeFlags(found)
        for uid in jobs.renamed {
            for path in copies(of: uid) {
                for field in ["full_name", "profile_picture"]
                where found["\(path)/\(field)"] != main["\(path)/\(field)"] {
                    let present = main["people/\(uid)/\(field)"] ?? (field == "full_name" ? .string(uid) : nil)
                    if found["\(path)/\(field)"] == present { set("\(path)/\(field)", to: present) }
                }
            }
        }
        copyStories()
    }

    private func isGone(_ post: String) -> Bool { jobs.deletedPosts.contains(post) }

    /// Forgets the records that an ended job deletes.
    mutating func forget(after old: Jobs) {
        for post in old.deletedPosts.subtracting(jobs.deletedPosts) where !exists("posts/\(post)") {
            told.likes = told.likes.filter { $0.key[0] != post }
        }
        for uid in old.deletedPeople.subtracting(jobs.deletedPeople) {
            told.read[uid] = nil
            told.outbox[uid] = nil
        }
    }

    /// Lists each post in its lists, as a repair does.
    mutating func restoreLists() {
        for keys in main.nodes("posts/*") {
            if let author = author(ofPost: keys[0]) { set("people/\(author)/posts/\(keys[0])", to: true) }
            for tag in NaiveWords.tags(main["posts/\(keys[0])"]) { set("hashtags/\(tag)/\(keys[0])", to: true) }
        }
    }

    /// The paths that a repair would write: only lists, which clients may change.
    var missingEntries: Set<String> {
        var restored = self
        restored.restoreLists()
        let pattern = "hashtags/*/*"
        let missing = restored.main.nodes(pattern).subtracting(main.nodes(pattern))
        return Set(missing.map { "/" + NaiveTree.fill(pattern, $0) })
    }
}
