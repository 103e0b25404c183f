import TintypeClient
public import TintypeModel

/// The data that a person sees. Each sequence begins with what the device has, and follows every change.
extension LocalStore {
    /// The home feed.
    ///
    /// - Parameter screenCount: The number of posts that fit on a screen.
    public func feed(screenCount: Int = 6) -> PostFeed { PostFeed(self, .feed, screenCount: screenCount) }

    /// The posts of the person's audiences.
    ///
    /// - Parameter screenCount: The number of posts that fit on a screen.
    public func stories(screenCount: Int = 6) -> PostFeed { PostFeed(self, .stories, screenCount: screenCount) }

    /// The posts of a person, also of the one who is signed in. They are read when they are shown, and each minute.
    ///
    /// - Parameters:
    ///   - person: The id of the person.
    ///   - screenCount: The number of posts that fit on a screen.
    public func posts(by person: Person.ID, screenCount: Int = 6) -> PostFeed {
        PostFeed(self, .posts(by: person), screenCount: screenCount)
    }

    /// The posts with a hashtag. They are read when they are shown, and each minute.
    ///
    /// - Parameters:
    ///   - hashtag: The hashtag without its mark, in any case.
    ///   - screenCount: The number of posts that fit on a screen.
    public func posts(withHashtag hashtag: String, screenCount: Int = 6) -> PostFeed {
        PostFeed(self, .posts(withHashtag: hashtag.lowercased()), screenCount: screenCount)
    }

    /// A post; nil if the device does not have it, or if it was deleted.
    public func post(_ id: Post.ID) -> LocalValues<LocalPost?> {
        LocalValues(self) { view in
            let post = try view.post(id)
            if let post { view.follow(post.post.id) }
            return post
        }
    }

    /// The comments on a post that the device has, the oldest first. While they are shown, the newest ones are read when
    /// somebody writes, changes or deletes one of them.
    public func comments(on post: Post.ID) -> LocalValues<[LocalComment]> {
        LocalValues(self) { view in
            let real = try view.records.real(post)
            if !real.isLocal { view.follow(.comments(real)) }
            return try view.comments(on: post)
        }
    }

    /// The notifications that the device has, the newest first.
    public func notifications() -> LocalValues<NotificationList> { LocalValues(self) { try $0.notifications() } }

    /// A person; nil if the device does not have the person.
    public func person(_ id: Person.ID) -> LocalValues<Local<Person>?> { LocalValues(self) { try $0.person(id) } }

    /// The audiences that the person is a member of.
    public func audiences() -> LocalValues<[Audience]> {
        LocalValues(self) { view in
            view.depend(on: .list(.audiences))
            return try view.records.entries(of: .audiences, isAscending: true).compactMap { entry in
                let id = Audience.ID(entry.id)
                view.depend(on: .audience(id))
                return try view.records.entity(.audience(id), as: Audience.self)?.value
            }
        }
    }

    // MARK: Reading from the service

    /// Reads the newest comments on a post from the service.
    ///
    /// - Returns: Whether there are older ones that the device does not have.
    /// - Throws: `Problem`, `TransportError`, `SessionError`, `RecordStoreError`.
    @discardableResult
    public func loadComments(on post: Post.ID) async throws -> Bool {
        try await loadComments(on: post, isContinuing: false)
    }

    /// Reads a page of comments that are older than those that the device has.
    ///
    /// - Returns: Whether there are still older ones.
    /// - Throws: `Problem`, `TransportError`, `SessionError`, `RecordStoreError`.
    @discardableResult
    public func loadOlderComments(on post: Post.ID) async throws -> Bool {
        try await loadComments(on: post, isContinuing: true)
    }

    private func loadComments(on post: Post.ID, isContinuing: Bool) async throws -> Bool {
        let account = try await signedInAccount()
        let (real, cursor, isRead) = try await view { view in
            let real = try view.records.real(post)
            let list = ListName.comments(on: real)
            return (real, try view.records.text(.next(of: list)), try view.records.number(.read(of: list)) != nil)
        }
        if real.isLocal || isContinuing && isRead && cursor == nil { return false }
        let next = isContinuing ? cursor.map { Cursor($0) } : nil
        let answer = try await client.sending(as: account).newestComments(on: real, before: next)
        return try await change(account, .appEnd) { changes in
            try changes.append(answer.value, on: real, after: next, at: answer.changeNumber ?? 0)
            return try changes.records.text(.next(of: .comments(on: real))) != nil
        }
    }

    /// Reads a page of notifications that are older than those that the device has.
    ///
    /// - Returns: Whether there are still older ones.
    /// - Throws: `Problem`, `TransportError`, `SessionError`, `RecordStoreError`.
    @discardableResult
    public func loadOlderNotifications() async throws -> Bool {
        let account = try await signedInAccount()
        for _ in 0..<3 {
            guard let cursor = try await view({ try $0.records.text(.next(of: .notifications)) }).map({ Cursor($0) })
            else { return false }
            let answer = try await client.sending(as: account).notifications(of: account, before: cursor)
            let isAppended = try await change(account, .appEnd) { changes in
                try changes.append(answer.value, after: cursor, at: answer.changeNumber ?? 0)
            }
            if isAppended { return answer.value.next != nil }
        }
        return true
    }

    /// Reads a person from the service.
    ///
    /// - Throws: `Problem`, `TransportError`, `SessionError`, `RecordStoreError`.
    public func loadPerson(_ id: Person.ID) async throws {
        let account = try await signedInAccount()
        // The answer includes what the device has synchronised before the request.
        let known = try await view { try $0.records.syncedNumber() }
        let answer = try await client.sending(as: account).person(id)
        try await change(account, .appEnd) { changes in
            _ = try changes.merge(answer.value, .person(id), at: answer.changeNumber ?? known ?? 0)
        }
    }

    /// Reads a further page of older posts of a list from the service, if there are any.
    func loadMore(of list: ListName) async throws {
        let account = try await signedInAccount()
        for _ in 0..<3 {
            let (cursor, isRead) = try await view { view in
                (try view.records.text(.next(of: list)), try view.records.number(.read(of: list)) != nil)
            }
            if isRead && cursor == nil { return }
            let next = cursor.map { Cursor($0) }
            let answer = try await page(of: list, before: next, account)
            let isAppended = try await change(account, .appEnd) { changes in
                try changes.append(answer.value, to: list, after: next, at: answer.changeNumber ?? 0)
            }
            if isAppended { return }
        }
    }

    /// Reads the newest posts of a list again.
    func refresh(_ list: ListName) async throws {
        let account = try await signedInAccount()
        let answer = try await page(of: list, before: nil, account)
        try await change(account, .appEnd) { try $0.refresh(answer.value, of: list, at: answer.changeNumber ?? 0) }
    }

    private func page(
        of list: ListName, before cursor: Cursor?, _ account: Person.ID
    ) async throws -> Answer<Page<Post>> {
        let client = client.sending(as: account)
        if let person = list.person { return try await client.posts(by: person, before: cursor) }
        if let hashtag = list.hashtag { return try await client.posts(taggedWith: hashtag, before: cursor) }
        if list == .stories { return try await client.stories(of: account, before: cursor) }
        return try await client.homeFeed(of: account, before: cursor)
    }
}
