import TintypeClient
public import TintypeModel

/// The lists and values that a person sees. Each sequence begins with what the device has, and follows every change.
extension LocalStore {
    /// The home feed.
    ///
    /// - Parameter screenCount: The number of posts that fit on a screen.
    public func feed(screenCount: Int = 6) -> PostFeed { PostFeed(self, .feed, screenCount: screenCount) }

    /// The posts of the person's audiences.
    ///
    /// - Parameter screenCount: The number of posts that fit on a screen.
    public func stories(screenCount: Int = 6) -> PostFeed { PostFeed(self, .stories, screenCount: screenCount) }

    /// A post; nil if the device does not have it, or if it was deleted.
    public func post(_ id: Post.ID) -> LocalValues<LocalPost?> { LocalValues(self) { try $0.post(id) } }

    /// The comments on a post that the device has, the oldest first.
    public func comments(on post: Post.ID) -> LocalValues<[LocalComment]> {
        LocalValues(self) { try $0.comments(on: post) }
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

    /// Reads the newest comments on a post from the service, or a further page of older ones.
    ///
    /// - Returns: Whether there are more.
    /// - Throws: `Problem`, `TransportError`, `SessionError`, `RecordStoreError`.
    @discardableResult
    public func loadComments(on post: Post.ID, isContinuing: Bool = false) async throws -> Bool {
        guard let account = try await accountID() else { throw SessionError.signedOut }
        let (real, cursor) = try await view { view in
            let real = try view.records.real(post)
            return (real, try view.records.text(.next(of: .comments(on: real))))
        }
        if real.isLocal || isContinuing && cursor == nil { return false }
        let next = isContinuing ? cursor.map { Cursor($0) } : nil
        let answer = try await client.sending(as: account).newestComments(on: real, before: next)
        return try await change(account, .appEnd) { changes in
            try changes.append(answer.value, on: real, after: next, at: answer.changeNumber ?? 0)
            return try changes.records.text(.next(of: .comments(on: real))) != nil
        }
    }

    /// Reads a person from the service.
    ///
    /// - Throws: `Problem`, `TransportError`, `SessionError`, `RecordStoreError`.
    public func loadPerson(_ id: Person.ID) async throws {
        guard let account = try await accountID() else { throw SessionError.signedOut }
        let answer = try await client.sending(as: account).person(id)
        try await change(account, .appEnd) { changes in
            _ = try changes.merge(answer.value, .person(id), at: answer.changeNumber ?? 0)
        }
    }

    /// Reads a further page of older posts of a list from the service, if there are any.
    func loadMore(of list: ListName) async throws {
        guard let account = try await accountID() else { throw SessionError.signedOut }
        for _ in 0..<3 {
            let (cursor, isRead) = try await view { view in
                (try view.records.text(.next(of: list)), try view.records.number(.read(of: list)) != nil)
            }
            if isRead && cursor == nil { return }
            let next = cursor.map { Cursor($0) }
            let client = client.sending(as: account)
            let answer =
                list == .stories
                ? try await client.stories(of: account, before: next) : try await client.homeFeed(of: account, before: next)
            let isAppended = try await change(account, .appEnd) { changes in
                try changes.append(answer.value, to: list, after: next, at: answer.changeNumber ?? 0)
            }
            if isAppended { return }
        }
    }
}
