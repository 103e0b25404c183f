package import API
package import Model
package import Tree

/// The announcements of admins: to everybody, in one row, or to some people, in a notification for each.
package struct Announcements: Sendable {
    /// The longest title, in characters.
    package static let maxTitleCharacters = 200
    /// The largest number of recipients of a direct announcement; each gets a notification in its commit.
    package static let maxRecipients = 1000

    private let tree: TreeStore
    private let ids: PushIDGenerator

    package init(_ tree: TreeStore, ids: PushIDGenerator) {
        self.tree = tree
        self.ids = ids
    }

    /// Publishes an announcement. Durable on return.
    ///
    /// - Parameters:
    ///   - text: The text, of at most `PostText.maxCharacters`.
    ///   - title: The title, of at most ``maxTitleCharacters``; nil for none.
    ///   - author: The author; nil for none.
    ///   - recipients: The recipients, at most ``maxRecipients``; nil for everybody.
    ///   - key: The key of the request; a repeated request returns the announcement that it created before.
    /// - Returns: The announcement, and a position in the change log after its commit.
    /// - Throws: `Failure` with the code `bad_text` or `bad_request`, `key_reused` for the key of another request,
    ///   `deleted` if the announcement of the request has been withdrawn.
    package func publish(
        _ text: String, title: String? = nil, by author: UserID? = nil, to recipients: [UserID]? = nil,
        as key: RequestKey? = nil
    ) async throws -> (document: AnnouncementDocument, token: SyncToken) {
        let text = try Self.checked(text, "text", PostText.maxCharacters)
        let title = try title.map { title throws(Failure) in
            try Self.checked(title, "title", Self.maxTitleCharacters)
        }
        let people = recipients.map { Set($0) }
        if let people, people.isEmpty || people.count > Self.maxRecipients {
            throw Failure(
                .badRequest, "an announcement to some people needs 1 to \(Self.maxRecipients) recipients",
                hint: "Announce it to everybody, without \"to\", or in several parts.")
        }
        let id = ids.next()
        let place = people == nil ? NotificationNodes.announcement() : NotificationNodes.letter()
        let (known, token) = try await tree.transact { snapshot, update in
            if let made = try key?.made(in: snapshot) { return made }
            var fields: [TreeKey: TreeValue] = ["text": .string(text)]
            if let title { fields["title"] = .string(title) }
            if let author {
                let (name, picture) = try snapshot.nameAndPicture(of: author)
                fields["author"] = Person(uid: author, fullName: name, profilePicture: picture).author
            }
            if let people { fields["to"] = .object(Dictionary(uniqueKeysWithValues: people.map { ($0.key, true) })) }
            update[place / id] = .object(fields)
            update.set(place / id / "timestamp", to: .timestamp)
            update.set(place / id / "published", to: .position)
            key?.note(id, in: &update)
            return id.key
        }
        // An announcement to some people never changes.
        let (record, times) = try await tree.snapshot { snapshot in
            (try snapshot.get(place / known), try EntityTimes(at: TimeNodes.announcement(known), in: snapshot))
        }
        guard let record, let document = AnnouncementDocument(record, id: known, times, recipients: people?.count)
        else {
            throw Failure(
                .deleted, "the announcement has been withdrawn", hint: "Send it with another key to publish it again.")
        }
        return (document, token)
    }

    /// Withdraws an announcement from all its recipients. Durable on return.
    ///
    /// - Returns: The position in the change log just after the change.
    /// - Throws: `Failure` with the code `not_found`.
    package func remove(_ id: TreeKey) async throws -> SyncToken {
        try await tree.transact { snapshot, update in
            let places = try [NotificationNodes.announcement() / id, NotificationNodes.letter() / id].filter {
                try snapshot.exists($0)
            }
            guard !places.isEmpty else { throw Self.missing }
            for place in places { update[place] = nil }
        }.token
    }

    /// Returns a page of the announcements to everybody, the newest first.
    ///
    /// - Parameter cursor: The position before which the page begins; nil for the newest.
    /// - Returns: The page, and the position in the change log that it shows.
    package func page(
        before cursor: TreeKey?, limit: Int
    ) async throws -> (document: AnnouncementPageDocument, token: SyncToken) {
        try await tree.snapshot { snapshot in
            let rows = try snapshot.children(
                of: NotificationNodes.announcementInOrder(), range: cursor.map { .before($0) } ?? .all,
                order: .descending,
                limit: limit + 1)
            let announcements = try rows.prefix(limit).compactMap { row in
                try AnnouncementEntry(row.value).flatMap { try AnnouncementDocument($0.id, in: snapshot) }
            }
            let hasMore = rows.count > limit
            let document = AnnouncementPageDocument(
                announcements: announcements, hasMore: hasMore,
                next: hasMore ? rows.prefix(limit).last?.key.string : nil)
            return (document, try snapshot.token)
        }
    }

    /// The refusal of an announcement that does not exist.
    package static let missing = Failure(
        .notFound, "the announcement does not exist", hint: "List the newest with GET /v1/announcements.")

    private static func checked(_ text: String, _ name: String, _ maxCharacters: Int) throws(Failure) -> String {
        guard let checked = PostText.checked(text, maxCharacters: maxCharacters), !checked.isEmpty else {
            throw Failure(
                .badText, "the \(name) must have 1 to \(maxCharacters) characters, and no control characters")
        }
        return checked
    }
}

extension AnnouncementDocument {
    /// Reads an announcement to everybody, with its author's current name and picture; nil if it does not exist.
    init?(_ id: TreeKey, in snapshot: TreeSnapshot) throws(TreeError) {
        guard let record = try snapshot.get(NotificationNodes.announcement() / id) else { return nil }
        let author = try record["author"].flatMap { copy throws(TreeError) in try PersonDocument(copy, in: snapshot) }
        let times = try EntityTimes(at: TimeNodes.announcement(id), in: snapshot)
        self.init(record, id: id, author: author, times, recipients: nil)
    }
}

extension PersonDocument {
    /// Reads a copy of a person's name and picture, and updates it with the current ones if they exist; nil for a
    /// malformed copy.
    init?(_ copy: TreeValue, in snapshot: TreeSnapshot) throws(TreeError) {
        guard let uid = copy["uid"]?.stringValue.flatMap({ UserID($0) }) else { return nil }
        let (name, picture) = try snapshot.nameAndPicture(of: uid)
        guard let name else {
            self.init(
                uid: uid.description, fullName: copy["full_name"]?.stringValue ?? uid.description,
                profilePicture: copy["profile_picture"]?.stringValue)
            return
        }
        self.init(uid: uid.description, fullName: name, profilePicture: picture)
    }
}

extension AnnouncementDocument {
    /// Reads a record; nil if it has no text. Its other fields may contain any value, because admins can write them.
    ///
    /// - Parameters:
    ///   - author: The author with their current name; nil for the author in the record.
    ///   - times: The stored times.
    fileprivate init?(
        _ record: TreeValue, id: TreeKey, author present: PersonDocument? = nil, _ times: EntityTimes,
        recipients: Int?
    ) {
        guard let text = record["text"]?.stringValue else { return nil }
        let author = record["author"]
        self.init(
            id: id.string, title: record["title"]?.stringValue, text: text,
            author: present
                ?? author?["uid"]?.stringValue.map { uid in
                    PersonDocument(
                        uid: uid, fullName: author?["full_name"]?.stringValue ?? uid,
                        profilePicture: author?["profile_picture"]?.stringValue)
                },
            timestamp: record["timestamp"]?.integerValue ?? 0, recipients: recipients)
        let times = times.completed(by: record)
        (created, updated) = (times.created?.milliseconds, times.updated?.milliseconds)
    }
}
