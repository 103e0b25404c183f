import TreeModel

/// The notifications that must exist.
struct NaiveNotifications: Sendable {
    /// The subject of a notification; a list has each once at a time.
    struct Subject: Hashable, Sendable {
        var kind: String
        var actor = ""
        var post = ""
        var comment = ""
        var announcement = ""
    }

    struct Notice: Sendable {
        let subject: Subject
        let commit: Int
        var isUnread = true
    }

    /// The last notification of a cause that may be repeated.
    struct Memory: Sendable {
        let recipient: String
        let time: Int64
    }

    /// A pending delivery.
    struct Delivery: Sendable, Equatable {
        let subject: Subject
        let commit: Int
    }

    var lists: [String: [Notice]] = [:]
    /// The memories by post and liker, and by followee and follower.
    var likes: [[String]: Memory] = [:]
    var follows: [[String]: Memory] = [:]
    /// The people who were notified of each comment, with the kinds, by the post and the comment.
    var comments: [[String]: [String: String]] = [:]
    /// Announcements to everybody, in the order of publication.
    var announcements: [(id: String, commit: Int, time: Int64)] = []
    /// The announcements that a person has read, by the person.
    var read: [String: Set<String>] = [:]
    /// The recipients of announcements to a few.
    var letters: [String: Set<String>] = [:]
    /// The people who were notified of a post that mentions them, by the post.
    var posts: [String: Set<String>] = [:]
    var isDelivering = false
    /// The pending deliveries, by the recipient; "+" is everybody.
    var outbox: [String: [Delivery]] = [:]

    mutating func tell(_ recipient: String, _ subject: Subject, at commit: Int) {
        lists[recipient, default: []].append(Notice(subject: subject, commit: commit))
        if isDelivering { outbox[recipient, default: []].append(Delivery(subject: subject, commit: commit)) }
    }

    mutating func withdraw(_ recipient: String, _ subject: Subject) {
        lists[recipient]?.removeAll { $0.subject == subject }
        outbox[recipient]?.removeAll { $0.subject == subject }
    }

    /// Removes notifications from a list, and the rest of their deliveries.
    mutating func drop(_ recipient: String, where isDropped: (Notice) -> Bool) {
        for notice in lists[recipient, default: []] where isDropped(notice) { withdraw(recipient, notice.subject) }
    }

    /// Withdraws notifications, also those that are no longer in the list.
    mutating func takeBack(_ recipient: String, where isOver: (Subject) -> Bool) {
        lists[recipient]?.removeAll { isOver($0.subject) }
        outbox[recipient]?.removeAll { isOver($0.subject) }
    }

    /// Drops notifications beyond the limit: the oldest like, else the oldest of the person with most entries. Dropped
    /// ones are delivered all the same.
    ///
    /// - Parameter isThere: Whether the service has kept a notification; decides among those of one update.
    mutating func keep(_ limit: Int, of recipient: String, where isThere: (Subject) -> Bool) {
        while lists[recipient, default: []].count > limit {
            let list = lists[recipient, default: []]
            let likes = list.filter { $0.subject.kind == "like" }
            let numbers = Dictionary(grouping: list, by: \.subject.actor).mapValues(\.count)
            let most = numbers.values.max()
            let choice = likes.isEmpty ? list.filter { numbers[$0.subject.actor] == most } : likes
            let oldest = choice.filter { [first = choice.map(\.commit).min()] in $0.commit == first }
            guard let dropped = oldest.first(where: { !isThere($0.subject) }) ?? oldest.first else { return }
            lists[recipient]?.removeAll { $0.subject == dropped.subject }
        }
    }

    /// Returns mentions as texts have them.
    static func records(of people: [String]) -> TreeValue? {
        var records: [TreeKey: TreeValue] = [:]
        for (number, uid) in people.enumerated() {
            records[TreeKey(unchecked: "\(number)")] = ["uid": .string(uid), "start": 0, "length": 1]
        }
        return records.isEmpty ? nil : .object(records)
    }

    func unread(_ uid: String) -> Int { lists[uid, default: []].count(where: \.isUnread) }
}

extension NaiveSocial {
    private static let day: Int64 = 86_400_000
    private static let month: Int64 = 30 * day
    private static let maxMentions = 20

    /// Applies the notifications of an update.
    mutating func tell(_ written: Written, _ follows: [Link]) {
        forgetBlocked(written)
        for link in follows { tell(link) }
        for like in written.touched("likes/*/*", in: main) { tell(like: like) }
        for comment in written.touched("comments/*/*", in: main) { tell(comment: comment) }
        for post in written.touched("posts/*", in: main) { tell(post: post) }
        for text in written.touched("announcements/*/text", in: main) { announce(text, written) }
    }

    private func tells(_ recipient: String, of actor: String) -> Bool {
        recipient != actor && !areBlocked(recipient, actor)
    }

    /// Removes the notifications of the two people of a new block.
    private mutating func forgetBlocked(_ written: Written) {
        for block in written.touched("blocking/*/*", in: main) where block.isNew {
            let (one, other) = (block.keys[0], block.keys[1])
            told.drop(one) { $0.subject.actor == other }
            told.drop(other) { $0.subject.actor == one }
        }
    }

    private func isRecent(_ memory: NaiveNotifications.Memory?, to recipient: String) -> Bool {
        guard let memory, memory.recipient == recipient else { return false }
        return now - memory.time <= Self.day
    }

    /// Whether one of the people is being deleted, for whom nothing is remembered.
    private func isGoing(_ people: String...) -> Bool { people.contains { jobs.deletedPeople.contains($0) } }

    private mutating func tell(_ link: Link) {
        let (follower, followee) = (link.keys[0], link.keys[1])
        let key = [followee, follower]
        let subject = NaiveNotifications.Subject(kind: "follow", actor: follower)
        guard link.isThere else {
            guard let memory = told.follows[key] else { return }
            told.withdraw(memory.recipient, subject)
            if now - memory.time > Self.day || isGoing(follower, followee) { told.follows[key] = nil }
            return
        }
        guard link.isDirect, tells(followee, of: follower), !isRecent(told.follows[key], to: followee) else { return }
        told.tell(followee, subject, at: commit)
        told.follows[key] = NaiveNotifications.Memory(recipient: followee, time: now)
    }

    private mutating func tell(like: Touched) {
        let (post, liker) = (like.keys[0], like.keys[1])
        let subject = NaiveNotifications.Subject(kind: "like", actor: liker, post: post)
        let author = author(ofPost: post)
        if like.isGone {
            guard let memory = told.likes[like.keys] else { return }
            told.withdraw(memory.recipient, subject)
            let isOver = author == nil || now - memory.time > Self.day
            if isOver || isGoing(liker, memory.recipient) { told.likes[like.keys] = nil }
        } else if like.isNew, like.isDirect, let author, tells(author, of: liker),
            !isRecent(told.likes[like.keys], to: author)
        {
            told.tell(author, subject, at: commit)
            told.likes[like.keys] = NaiveNotifications.Memory(recipient: author, time: now)
        }
    }

    private mutating func tell(comment: Touched) {
        let (post, id) = (comment.keys[0], comment.keys[1])
        func subject(_ kind: String, by actor: String) -> NaiveNotifications.Subject {
            NaiveNotifications.Subject(kind: kind, actor: actor, post: post, comment: id)
        }
        let known = told.comments[comment.keys, default: [:]]
        if comment.after == nil {
            for uid in known.keys { told.takeBack(uid) { $0.post == post && $0.comment == id } }
            told.comments[comment.keys] = nil
            return
        }
        guard comment.isDirect else { return }
        let mentioned = mentioned(in: "comments/\(post)/\(id)")
        for (uid, kind) in known where kind == "mention" && !mentioned.contains(uid) {
            told.takeBack(uid) { $0.kind == "mention" && $0.post == post && $0.comment == id }
        }
        guard let author = author(ofPost: post), let actor = comment.after?["author"]?["uid"]?.stringValue else {
            return
        }
        let kinds =
            [(author, "comment")].filter { _ in comment.isNew }
            + mentioned.filter { $0 != author }.map { ($0, "mention") }
        for (uid, kind) in kinds where told.comments[comment.keys]?[uid] == nil && tells(uid, of: actor) {
            told.tell(uid, subject(kind, by: actor), at: commit)
            told.comments[comment.keys, default: [:]][uid] = kind
        }
    }

    /// Returns the people whom a text mentions, up to the limit of notifications.
    private func mentioned(in text: String) -> [String] {
        main.keys("\(text)/mentions").prefix(Self.maxMentions).compactMap { main.text("\(text)/mentions/\($0)/uid") }
    }

    private mutating func tell(post: Touched) {
        let id = post.keys[0]
        let known = told.posts[id, default: []]
        let mentioned = mentioned(in: "posts/\(id)")
        if post.after == nil { told.posts[id] = nil }
        guard post.after == nil || post.isDirect else { return }
        for uid in known where !mentioned.contains(uid) {
            told.takeBack(uid) { $0.kind == "mention" && $0.post == id && $0.comment.isEmpty }
        }
        guard let author = author(ofPost: id) else { return }
        for uid in mentioned where !told.posts[id, default: []].contains(uid) && tells(uid, of: author) {
            told.tell(uid, NaiveNotifications.Subject(kind: "mention", actor: author, post: id), at: commit)
            told.posts[id, default: []].insert(uid)
        }
    }

    /// Publishes an announcement to everybody, which exists from the moment when it has a text.
    private mutating func announce(_ text: Touched, _ written: Written) {
        let id = text.keys[0]
        if text.isGone {
            told.announcements.removeAll { $0.id == id }
            told.outbox["+"]?.removeAll { $0.subject.announcement == id }
            for uid in told.read.keys { told.read[uid]?.remove(id) }
        } else if text.isNew {
            told.announcements.append((id, commit, now))
            let isDirect = written.writes.contains { $0.path == "announcements/\(id)" }
            guard told.isDelivering, isDirect else { return }
            let subject = NaiveNotifications.Subject(kind: "announcement", announcement: id)
            told.outbox["+", default: []].append(NaiveNotifications.Delivery(subject: subject, commit: commit))
        }
    }

    /// The announcements that are among everybody's notifications.
    var presentAnnouncements: [(id: String, commit: Int, time: Int64)] {
        told.announcements.filter { $0.time > now - Self.month }
    }

    func unread(_ uid: String) -> Int {
        told.unread(uid) + presentAnnouncements.count { !told.read[uid, default: []].contains($0.id) }
    }
}
