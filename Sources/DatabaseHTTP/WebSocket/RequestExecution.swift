import Access
import Database
import Tree
import TreeModel

/// A request of a client, with the context to carry it out; may be used on any thread.
struct RequestExecution: Sendable {
    /// The result of the request.
    enum Outcome: Sendable {
        /// The JSON of the response.
        case answer(String)
        /// The position just after a write.
        case written(SyncToken)
        case value(SpooledBody.Finished)
        case listening(ListenStart)
        case identified(RealtimeIdentity, String)
        case refused(ClientRefusal)
        /// The result cannot be determined now; the client should retry.
        case comeAgain

        static var done: Outcome { .answer("\"\"") }
    }

    let request: RealtimeSession.Request
    let admitted: AdmittedSocket
    let identity: RealtimeIdentity
    /// The name of the client's session, under which its on-disconnect writes are stored.
    let connection: TreeKey
    /// Whether the client has listeners.
    let isListening: Bool
    /// The listeners with a query.
    let queries: [Listener]
    let loop: WebSocketLoop
    /// Receives the listener of a request before its first event.
    let began: @Sendable (Listener) -> Void

    func outcome() async -> Outcome {
        do {
            return try await carryOut()
        } catch {
            return .refused(ClientRefusal(error))
        }
    }

    private func carryOut() async throws -> Outcome {
        switch request.action {
        case .listen(let listen): return try await self.listen(to: listen)
        case .get(let target): return try await read(target)
        case .put(let target, let json, let hash):
            return await commit(json, ifHash: hash) { try identity.session.set(path(of: target)) }
        case .merge(let target, let json):
            return await commit(json) { try identity.session.update(path(of: target)) }
        case .onDisconnect(let form, let target, let json):
            let operation = DisconnectOperation(form, at: path(of: target), json: Array(json))
            try await identity.session.onDisconnect(operation, of: connection)
        case .cancelOnDisconnect(let target):
            try await identity.session.cancelOnDisconnect(at: path(of: target), of: connection)
        case .authenticate(let credential): return try await authenticate(by: credential)
        case .forgetCredential:
            return .identified(RealtimeIdentity(admitted.proof, at: admitted), "\"\"")
        case .endSession(let previous):
            loop.sessions.end(previous)
            try await admitted.database.endConnection(TreeKey(unchecked: previous))
        case .stopListening, .acknowledge: break
        }
        return .done
    }

    private func path(of target: DatabaseTarget) -> DatabasePath {
        DatabasePath(TreePath(target.keys, in: admitted.namespace), isPriority: target.isPriority)
    }

    /// Writes, and waits until this client has received the events of this write and those before it: a client drops
    /// its own view of a write with the response.
    private func commit(
        _ json: ArraySlice<UInt8>, ifHash hash: String? = nil, _ begin: () throws -> DatabaseWrite
    ) async -> Outcome {
        var outcome: Outcome
        do {
            var write = try begin()
            try write.receive(json.span)
            outcome = .written(try await identity.session.commit(write, on: WriteTerms(hash: hash)).token)
        } catch {
            outcome = .refused(ClientRefusal(error, isWrite: true))
        }
        if isListening { await admitted.database.waitForEvents(of: queries) }
        return outcome
    }

    private func read(_ target: DatabaseTarget) async throws -> Outcome {
        let request = ReadRequest(
            target.isPriority ? .priority : .value(.export), at: path(of: target).node, matching: target.query,
            unindexed: .scanned, in: ServerMessage.value(request.number ?? 0))
        guard case .text(let text, _, _) = try await identity.session.get(request) else { return .done }
        return .value(text)
    }

    private func listen(to listen: RealtimeListen) async throws -> Outcome {
        let request = ListenRequest(
            at: TreePath(listen.key.path, in: admitted.namespace), matching: listen.query, unindexed: .scanned,
            knownHash: listen.knownHash)
        let start = try await identity.session.listen(
            to: request, in: ServerMessage.start(of: listen.key), notifying: loop, began: began)
        // Other listeners receive the changes in the value before it is sent.
        await admitted.database.waitForEvents(of: [])
        return .listening(start)
    }

    private func authenticate(by credential: RealtimeCredential) async throws -> Outcome {
        guard let proof = try await admitted.proof(of: credential) else { return .comeAgain }
        return .identified(RealtimeIdentity(proof, at: admitted), Self.answer(to: proof))
    }

    /// Returns the `auth` that rules see for a proof, and its expiry in seconds since the epoch.
    private static func answer(to proof: Proof) -> String {
        var auth = "null"
        if case .user(let user) = proof.identity { auth = String(decoding: user.auth.text, as: UTF8.self) }
        guard let expiry = proof.expiresAt else { return "{\"auth\":\(auth)}" }
        return "{\"auth\":\(auth),\"expires\":\(expiry.seconds)}"
    }
}
