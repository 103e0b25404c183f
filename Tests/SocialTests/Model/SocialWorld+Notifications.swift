import API

@testable import Model
@testable import Social
@testable import Tree

/// Reading and marking of notifications.
extension SocialWorld {
    /// A notification as the service stores it.
    struct Row {
        let id: TreeKey
        let subject: NaiveNotifications.Subject
        let isUnread: Bool
        /// The copy of the actor's data.
        let actor: TreeValue?

        init(_ child: TreeChild) {
            func text(_ path: TreePath) -> String { child.value[path: path]?.stringValue ?? "" }
            let announcement = text("announcement")
            id = child.key
            isUnread = child.value["unread"] != nil
            actor = child.value["actor"]
            subject = NaiveNotifications.Subject(
                kind: text("kind"), actor: announcement.isEmpty ? text("actor/uid") : "", post: text("post"),
                comment: text("comment"), announcement: announcement)
        }

        init(_ document: NotificationDocument) {
            id = TreeKey(unchecked: document.id)
            isUnread = document.isUnread
            actor = nil
            subject = NaiveNotifications.Subject(
                kind: document.kind, actor: document.announcement == nil ? document.actor?.uid ?? "" : "",
                post: document.post ?? "", comment: document.comment ?? "", announcement: document.announcement ?? "")
        }
    }

    /// Returns a person's list, the oldest first.
    func rows(of uid: String) async throws -> [Row] {
        try await tree.children(of: try TreePath("notifications/\(uid)")).map { Row($0) }
    }

    /// Returns all notifications of a person, the newest first, and the number of unread ones.
    ///
    /// - Parameter isGrouped: Whether likes of one post are grouped.
    private func page(
        of uid: String, limit: Int, isGrouped: Bool = false
    ) async throws -> (documents: [NotificationDocument], rows: [Row], unread: Int) {
        guard let user = UserID(uid) else { return ([], [], 0) }
        let clock = clock
        let notifications = Notifications(tree, clock: { clock.now })
        var (documents, unread, cursor): ([NotificationDocument], Int, TreeKey?) = ([], 0, nil)
        repeat {
            let page = try await notifications.page(
                of: user, before: cursor, limit: limit, isGrouped: isGrouped
            ).document
            documents += page.notifications
            for notification in page.notifications { compare(notification) }
            unread = page.unread
            cursor = page.next.map { TreeKey(unchecked: $0) }
            if page.hasMore != (cursor != nil) { complain("a page of \(uid) has no next one") }
        } while cursor != nil
        return (documents, documents.map { Row($0) }, unread)
    }

    // MARK: Marking

    func read(_ operation: SocialOperation) async throws {
        switch operation {
        case .readAll(let uid):
            try await mark(.all, uid)
            model.markRead(uid) { _ in true }
        case .readUpTo(let uid, let number):
            let rows = try await page(of: uid, limit: 50).rows
            guard number < rows.count else { return }
            let read = Set(rows[number...].map(\.subject))
            try await mark(.upTo(rows[number].id), uid)
            model.markRead(uid) { read.contains($0) }
        case .read(let uid, let numbers):
            let rows = try await page(of: uid, limit: 50).rows
            let chosen = numbers.filter { $0 < rows.count }.map { rows[$0] }
            guard !chosen.isEmpty else { return }
            try await mark(.ids(Set(chosen.map(\.id))), uid)
            model.markRead(uid) { subject in chosen.contains { $0.subject == subject } }
        case .readRaw(let uid, let number):
            let rows = try await rows(of: uid)
            guard number < rows.count else { return }
            try await tree.set(try TreePath("notifications/\(uid)/\(rows[number].id)/unread"), to: nil)
            model.markRead(uid) { $0 == rows[number].subject }
        case .dropNotification(let uid, let number):
            let rows = try await rows(of: uid)
            guard number < rows.count else { return }
            try await tree.set(try TreePath("notifications/\(uid)/\(rows[number].id)"), to: nil)
            model.told.withdraw(uid, rows[number].subject)
        case .dropNotifications(let uid):
            try await tree.set(try TreePath("notifications/\(uid)"), to: nil)
            model.told.drop(uid) { _ in true }
        default: complain("unknown operation: \(operation)")
        }
    }

    private func mark(_ selection: Notifications.Selection, _ uid: String) async throws {
        guard let user = UserID(uid) else { return }
        let clock = clock
        let unread = try await Notifications(tree, clock: { clock.now }).markRead(selection, by: user).unread
        let left = try await page(of: uid, limit: 100).unread
        if unread != left { complain("marking reports \(unread) unread notifications of \(uid), expected \(left)") }
    }

    // MARK: Comparing

    /// Compares a notification with the current data: the name, the picture, and the text.
    private func compare(_ notification: NotificationDocument) {
        if let actor = notification.actor, let name = model.main.text("people/\(actor.uid)/full_name"),
            name != actor.fullName || actor.profilePicture != model.main.text("people/\(actor.uid)/profile_picture")
        {
            complain("\(notification.id) shows \(actor), who is \(name)")
        }
        expectText(notification.text, of: Row(notification).subject)
    }

    /// Expects a notification of a text to have its current text.
    func expectText(_ found: String?, of subject: NaiveNotifications.Subject) {
        let (post, comment) = (subject.post, subject.comment)
        guard !comment.isEmpty || subject.kind == "mention" else { return }
        let text = model.main.text(comment.isEmpty ? "posts/\(post)/text" : "comments/\(post)/\(comment)/text")
        if found != text { complain("\(subject) has the text \(found ?? "-"), expected \(text ?? "-")") }
    }

    /// Expects notifications to have the actor's current name and picture after all jobs are done.
    func compareActors(of uid: String) async throws {
        for row in try await rows(of: uid) where row.subject.kind != "announcement" {
            let (actor, post, comment) = (row.subject.actor, row.subject.post, row.subject.comment)
            // A text that a client has given to another author is skipped.
            if row.subject.kind == "mention" || row.subject.kind == "comment" {
                let text = comment.isEmpty ? "posts/\(post)" : "comments/\(post)/\(comment)"
                guard model.main.text("\(text)/author/uid") == actor else { continue }
            }
            guard model.exists("people/\(actor)/full_name"), let user = UserID(actor) else { continue }
            let person = person(user).author
            if row.actor != person {
                complain("\(uid) has \(row.subject) of \(row.actor ?? false), expected \(person)")
            }
        }
    }

    func compareNotifications(of uid: String) async throws {
        let expected = model.told.lists[uid, default: []]
        let own = try await rows(of: uid)
        compare(own, expected.map { ($0.subject, $0.commit, $0.isUnread) }, "notifications of \(uid)")
        let number = try await tree.get(try TreePath("unread/\(uid)"))?.integerValue ?? 0
        if number != model.told.unread(uid) {
            complain("unread/\(uid) is \(number), expected \(model.told.unread(uid))")
        }
        let count = try await tree.get(NotificationNodes.count() / TreeKey(unchecked: uid))?.integerValue ?? 0
        if count != expected.count { complain("\(count) notifications of \(uid) are counted, of \(expected.count)") }
        let page = try await page(of: uid, limit: 1 + own.count / 2)
        let announcements = model.presentAnnouncements.map { announcement in
            (
                NaiveNotifications.Subject(kind: "announcement", announcement: announcement.id), announcement.commit,
                !model.told.read[uid, default: []].contains(announcement.id)
            )
        }
        let all = expected.map { ($0.subject, $0.commit, $0.isUnread) } + announcements
        compare(page.rows.reversed(), all, "the pages of \(uid)")
        if page.unread != model.unread(uid) {
            complain("\(uid) has \(page.unread) unread, expected \(model.unread(uid))")
        }
        try await compareGroups(of: uid, page.documents, limit: 1 + own.count / 3)
    }

    /// Compares grouped likes with single ones.
    private func compareGroups(of uid: String, _ single: [NotificationDocument], limit: Int) async throws {
        let likes = Dictionary(grouping: single.filter { $0.kind == "like" }) { $0.post ?? "" }
        let expected = single.compactMap { document -> String? in
            guard document.kind == "like", let all = likes[document.post ?? ""] else {
                return "\(document.id) 1 \(document.isUnread)"
            }
            guard document.id == all.first?.id else { return nil }
            return "\(document.id) \(all.count) \(all.contains(where: \.isUnread))"
        }
        let grouped = try await page(of: uid, limit: limit, isGrouped: true).documents
        expect("the groups of \(uid)", grouped.map { "\($0.id) \($0.count ?? 1) \($0.isUnread)" }, expected)
    }

    /// Compares the existing notifications, in their order, with the expected ones, in the order of commits.
    private func compare(
        _ rows: [Row], _ expected: [(subject: NaiveNotifications.Subject, commit: Int, isUnread: Bool)], _ what: String
    ) {
        var last = 0
        for row in rows {
            guard let notice = expected.first(where: { $0.subject == row.subject }) else {
                complain("\(what): too much: \(row.subject)")
                continue
            }
            if notice.isUnread != row.isUnread { complain("\(what): \(row.subject) is unread: \(row.isUnread)") }
            if notice.commit < last { complain("\(what): \(row.subject) is out of order") }
            last = notice.commit
        }
        let there = rows.map(\.subject)
        for notice in expected where !there.contains(notice.subject) { complain("\(what): missing: \(notice.subject)") }
        if Set(there).count != there.count { complain("\(what): a notification is listed twice") }
    }

    func compareOutbox() async throws {
        let lanes = try await tree.get(OutboxNodes.entry())?.object ?? [:]
        for lane in Set(lanes.keys.map(\.string)).union(model.told.outbox.keys) {
            let rows = (lanes[TreeKey(unchecked: lane)]?.object ?? [:]).sorted { $0.key < $1.key }
            let subjects = rows.map {
                Row(TreeChild(key: $0.key, value: $0.value["notification"] ?? .object([:]))).subject
            }
            let expected = model.told.outbox[lane, default: []]
            let isSame =
                subjects.count == expected.count
                && Dictionary(grouping: expected, by: \.commit).sorted { $0.key < $1.key }
                    .reduce(into: (subjects[...], true)) { rest, group in
                        let next = rest.0.prefix(group.value.count)
                        rest = (
                            rest.0.dropFirst(group.value.count), rest.1 && Set(next) == Set(group.value.map(\.subject))
                        )
                    }.1
            if !isSame { complain("the outbox of \(lane) has \(subjects), expected \(expected.map(\.subject))") }
        }
    }
}
