import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The tokens of a session, and its state.
actor SessionTokens {
    let identity: IdentityEndpoints
    private let store: SessionStore
    private let clock: any DeviceClock
    private let turns = Turns()
    private var listeners: [Int: AsyncStream<Session.State>.Continuation] = [:]
    private var listenerCount = 0

    /// The state that listeners know; nil until the keychain was read.
    private var known: Session.State?
    private var stored: StoredSession?
    /// The content of the keychain when this process last read or wrote it. It differs from `stored` after a failed write.
    private var kept: StoredSession?
    private var current: CurrentToken?
    /// The number of sign-ins and sign-outs so far: what was begun before one must not change what is after it.
    private(set) var generation = 0
    private var renewal: Renewal?
    /// The attempts to read the keychain for those who listen.
    private var reading: Task<Void, Never>?

    private struct Renewal {
        let generation: Int
        let task: Task<IDToken, any Error>
    }

    init(_ identity: IdentityEndpoints, _ store: SessionStore, _ clock: any DeviceClock) {
        (self.identity, self.store, self.clock) = (identity, store, clock)
    }

    deinit { for listener in listeners.values { listener.finish() } }

    // MARK: The state

    /// The present state.
    ///
    /// - Throws: `SessionError.keychain`.
    var state: Session.State {
        get async throws {
            try await load()
            return stored?.state ?? .signedOut
        }
    }

    /// The present state, and each later one. Each call begins a sequence of its own. The first element comes as soon as
    /// the keychain can be read.
    func states() -> AsyncStream<Session.State> {
        let (stream, continuation) = AsyncStream.makeStream(of: Session.State.self)
        listenerCount += 1
        let number = listenerCount
        listeners[number] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.removeListener(number) } }
        if let known { continuation.yield(known) } else { loadForListeners() }
        return stream
    }

    /// Reads the keychain until that succeeds, or nobody listens: a locked phone does not let it be read.
    private func loadForListeners() {
        guard reading == nil else { return }
        reading = Task {
            var failures = 0
            while !listeners.isEmpty, (try? await load()) == nil {
                failures += 1
                try? await clock.sleep(for: Backoff.wait(afterFailures: failures))
            }
            reading = nil
        }
    }

    private func removeListener(_ number: Int) { listeners[number] = nil }

    private func publish() {
        let state = stored?.state ?? Session.State.signedOut
        guard state != known else { return }
        known = state
        for listener in listeners.values { listener.yield(state) }
    }

    private func load() async throws {
        guard known == nil else { return }
        try await turns.take {
            guard known == nil else { return }
            kept = try await store.read()
            stored = kept
            publish()
        }
    }

    // MARK: Tokens

    /// Returns a token that is valid for some minutes; nil if nobody is signed in. Several callers cause one renewal.
    ///
    /// - Throws: `SessionError.expired`; `TransportError` if it must be renewed and cannot be now.
    func token() async throws -> String? {
        try await load()
        guard let stored else { return nil }
        guard stored.refreshToken != nil else { throw SessionError.expired(stored.account.id) }
        if let current, clock.uptime < current.expiry {
            // The present token is good enough for those who want one now.
            if clock.uptime >= current.renewal { _ = renewing() }
            return current.token.secret.text
        }
        return try await value(of: renewing()).secret.text
    }

    /// Returns a token of one person.
    ///
    /// - Throws: `SessionError.signedOut` if another person is signed in, or nobody; the errors of `token()`.
    func token(of person: Person.ID) async throws -> String {
        guard let token = try await token(), IDToken.personID(in: token) == person else {
            throw SessionError.signedOut
        }
        return token
    }

    /// Renews a token that the service has rejected, unless that has happened since.
    ///
    /// - Returns: Whether there is another token of the same person.
    func renew(_ rejected: String) async throws -> Bool {
        try await load()
        guard let stored, stored.refreshToken != nil, IDToken.personID(in: rejected) == stored.account.id else {
            return false
        }
        if let current, current.token.secret.text != rejected { return true }
        current = nil
        return try await value(of: renewing()).secret.text != rejected
    }

    // MARK: Signing in and out

    /// Makes the person of an answer the one who is signed in.
    ///
    /// - Parameter begun: The generation in which the request was sent, if it must still be the present one.
    /// - Throws: `SessionError.signedOut` if it is not; `SessionError.keychain`.
    func signIn(_ grant: TokenGrant, during begun: Int? = nil) async throws -> Account {
        try await turns.take {
            guard begun == nil || begun == generation else { throw SessionError.signedOut }
            let session = StoredSession(account: grant.idToken.account, refreshToken: grant.refreshToken)
            try await store.write(session)
            replace(by: session)
            current = CurrentToken(grant.idToken, at: clock.uptime)
            publish()
            return session.account
        }
    }

    /// Signs out on this device. What is kept for the person elsewhere stays.
    ///
    /// - Throws: `SessionError.keychain`; the person is then still signed in.
    func signOut() async throws {
        try await turns.take {
            try await store.write(nil)
            replace(by: nil)
            publish()
        }
    }

    private func replace(by session: StoredSession?) {
        (stored, kept, current, renewal) = (session, session, nil, nil)
        generation += 1
    }
}

// MARK: - Renewal

extension SessionTokens {
    /// The renewal that is under way, or else a new one. It ends even if nobody waits for it any more.
    private func renewing() -> Task<IDToken, any Error> {
        if let renewal, renewal.generation == generation { return renewal.task }
        let begun = generation
        let task = Task {
            defer { if renewal?.generation == begun { renewal = nil } }
            return try await renewed(during: begun)
        }
        renewal = Renewal(generation: begun, task: task)
        return task
    }

    /// Waits for a task, but only until the own one is cancelled.
    private func value(of task: Task<IDToken, any Error>) async throws -> IDToken {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: IDToken.self)
        Task {
            do { continuation.yield(try await task.value) } catch { continuation.finish(throwing: error) }
            continuation.finish()
        }
        for try await token in stream { return token }
        throw CancellationError()
    }

    private func renewed(during begun: Int) async throws -> IDToken {
        var isRepeated = false
        while true {
            await turns.take { await prepareRenewal() }
            guard begun == generation, let session = stored else { throw SessionError.signedOut }
            guard let refreshToken = session.refreshToken else { throw SessionError.expired(session.account.id) }
            do {
                let grant = try await identity.refresh(refreshToken, key: session.renewalKey)
                return try await accept(grant, for: refreshToken, of: session.account.id, during: begun)
            } catch let problem as Problem where problem.code.endsSession {
                let isOver = try await end(refreshToken, during: begun)
                if isOver || isRepeated { throw SessionError.expired(session.account.id) }
                isRepeated = true
            }
        }
    }

    /// Takes what another process has written, which may have renewed the token since, and gives the next renewal a key,
    /// which is in the keychain before the service can have received it. A renewal without an answer keeps its key.
    private func prepareRenewal() async {
        let isReadable = await readAgain()
        guard stored?.refreshToken != nil, stored?.renewalKey == nil else { return }
        stored?.renewalKey = Secret(UUID().uuidString)
        // What cannot be read now may be later than what is known here.
        if isReadable, (try? await store.write(stored)) != nil { kept = stored }
    }

    /// Takes what another process has written to the keychain, and writes what could not be written before. Without a
    /// readable keychain the session goes on with what it has.
    ///
    /// - Returns: Whether the keychain could be read.
    private func readAgain() async -> Bool {
        let found: StoredSession?
        do { found = try await store.read() } catch { return false }
        if found == kept {
            if stored != kept, (try? await store.write(stored)) != nil { kept = stored }
        } else if let found, found.account.id == stored?.account.id {
            (stored, kept) = (found, found)
        } else {
            replace(by: found)
        }
        publish()
        return true
    }

    /// Stores the tokens of a renewal, unless somebody has signed in or out since.
    private func accept(
        _ grant: TokenGrant, for refreshToken: Secret, of person: Person.ID, during begun: Int
    ) async throws -> IDToken {
        guard grant.idToken.account.id == person else {
            throw TransportError(.malformed, "the answer is for another person")
        }
        return try await turns.take {
            _ = await readAgain()
            guard begun == generation else {
                // The same person may have signed in again.
                guard let current, current.token.account.id == person else { throw SessionError.signedOut }
                return current.token
            }
            var session = StoredSession(account: grant.idToken.account, refreshToken: grant.refreshToken)
            // Another process has a later token then.
            if let other = stored, let token = other.refreshToken, token != refreshToken {
                (session.refreshToken, session.renewalKey) = (token, other.renewalKey)
            }
            stored = session
            // A token that cannot be written now is written before the next renewal.
            if session != kept, (try? await store.write(session)) != nil { kept = session }
            current = CurrentToken(grant.idToken, at: clock.uptime)
            publish()
            return grant.idToken
        }
    }

    /// Ends the session whose refresh token was refused, unless another process has written another one.
    ///
    /// - Returns: Whether the session is over.
    private func end(_ refreshToken: Secret, during begun: Int) async throws -> Bool {
        try await turns.take {
            guard await readAgain() else { throw SessionError.keychain("the keychain cannot be read") }
            guard begun == generation, var session = stored else { throw SessionError.signedOut }
            guard session.refreshToken == refreshToken else { return session.refreshToken == nil }
            (session.refreshToken, session.renewalKey) = (nil, nil)
            (stored, current) = (session, nil)
            if (try? await store.write(session)) != nil { kept = session }
            publish()
            return true
        }
    }
}
