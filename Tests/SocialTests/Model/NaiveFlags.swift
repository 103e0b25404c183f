import TreeModel

/// The service's data about flags, without the flags themselves.
struct NaiveFlags: Sendable {
    /// A post, or a comment on one.
    struct Subject: Hashable, Sendable {
        let post: String
        var comment: String?

        /// The possible paths; the first path with a value counts.
        var places: [String] {
            comment.map { ["comments/\(post)/\($0)"] } ?? ["audience_posts/\(post)", "posts/\(post)"]
        }

        /// Returns the path of the subject; nil when it does not exist.
        func place(in tree: NaiveTree) -> String? { places.first { tree[$0] != nil } }

        var flags: String { comment.map { "commentFlags/\(post)/\($0)" } ?? "postFlags/\(post)" }
        /// The sort key among subjects that are otherwise equal.
        var order: [String] { comment.map { ["comments", post, $0] } ?? ["posts", post] }
    }

    struct Record: Sendable {
        /// The time of the first flag after a time without flags.
        var since: Int64 = 0
        /// Whether the operator was notified.
        var isTold = false
        var isDismissed = false
    }

    var records: [Subject: Record] = [:]
}

extension NaiveSocial {
    /// Deletes the flags of comments and of posts for audiences that have been deleted.
    mutating func endFlags(_ before: NaiveTree) {
        for keys in before.nodes("comments/*/*") where !exists("comments/\(keys[0])/\(keys[1])") {
            set("commentFlags/\(keys[0])/\(keys[1])", to: nil)
        }
        for post in before.keys("audience_posts") where NaiveFlags.Subject(post: post).place(in: main) == nil {
            set("postFlags/\(post)", to: nil)
        }
    }

    /// Applies the effects of new and removed flags, and of deleted posts and comments.
    mutating func tellFlags(_ written: Written) {
        for subject in subjects(in: written.before)
        where subject.place(in: written.before) != nil && subject.place(in: main) == nil {
            flags.records[subject]?.isTold = false
            flags.records[subject]?.isDismissed = false
        }
        for subject in subjects(in: written.before).union(subjects(in: main)) {
            let (old, new) = (written.before.keys(subject.flags), main.keys(subject.flags))
            var record = flags.records[subject, default: NaiveFlags.Record()]
            if old.isEmpty, !new.isEmpty { record.since = now }
            if let actor = new.first(where: { !old.contains($0) }), !record.isTold {
                record.isTold = true
                let notice = NaiveNotifications.Subject(
                    kind: "flag", actor: actor, post: subject.post, comment: subject.comment ?? "")
                if told.isDelivering {
                    let delivery = NaiveNotifications.Delivery(subject: notice, commit: commit)
                    told.outbox["@operator", default: []].append(delivery)
                }
            }
            flags.records[subject] = record
        }
    }

    /// Whether a person sees the subject, as far as audiences are concerned.
    func isVisible(_ subject: NaiveFlags.Subject, to uid: String) -> Bool {
        guard let place = subject.place(in: main) else { return false }
        return !place.hasPrefix("audience_posts/") || knows(uid, ofStoryPost: subject.post)
    }

    /// Returns the subjects that are flagged, or were.
    private func subjects(in tree: NaiveTree) -> Set<NaiveFlags.Subject> {
        let posts = tree.keys("postFlags").map { NaiveFlags.Subject(post: $0) }
        let comments = tree.nodes("commentFlags/*/*").map { NaiveFlags.Subject(post: $0[0], comment: $0[1]) }
        return Set(posts + comments).union(flags.records.keys)
    }

    /// Applies the removals of flags by jobs.
    mutating func observeFlags(_ found: NaiveTree) {
        var gone: [NaiveWrite] = []
        for pattern in ["postFlags/*/*", "commentFlags/*/*/*"] {
            for keys in main.nodes(pattern) {
                let isOver = keys.count == 2 && jobs.deletedPosts.contains(keys[0])
                let path = NaiveTree.fill(pattern, keys)
                guard isOver || keys.last.map({ jobs.deletedPeople.contains($0) }) ?? false else { continue }
                if found[path] == nil { gone.append(NaiveWrite(path, nil)) }
            }
        }
        apply(gone)
    }

    // MARK: Questions

    func hasFlags(by uid: String) -> Bool {
        main.nodes("postFlags/*/*").contains { $0[1] == uid }
            || main.nodes("commentFlags/*/*/*").contains { $0[2] == uid }
    }

    /// Returns the subjects for an admin: those with most flags first, or those that were flagged last.
    func flagged(mostFirst: Bool) -> [(subject: NaiveFlags.Subject, count: Int, since: Int64)] {
        let rows = subjects(in: main).compactMap {
            subject -> (subject: NaiveFlags.Subject, count: Int, since: Int64)? in
            let count = main.keys(subject.flags).count
            guard count > 0, subject.place(in: main) != nil, let record = flags.records[subject], !record.isDismissed
            else {
                return nil
            }
            return (subject, count, record.since)
        }
        return rows.sorted { one, other in
            let (left, right) = mostFirst ? (Int64(one.count), Int64(other.count)) : (one.since, other.since)
            return left == right
                ? one.subject.order.lexicographicallyPrecedes(other.subject.order) : left > right
        }
    }
}
