import Access
import Database
import Tree
import TreeModel

/// A request of a client, with all that it takes to carry it out; on any thread.
struct RequestExecution: Sendable {
    /// What became of it.
    enum Outcome: Sendable {
        /// The JSON of the answer.
        case answer(String)
        case value(SpooledBody.Finished)
        case listening(ListenStart)
        case identified(RealtimeIdentity, String)
        case refused(ClientRefusal)
        /// The service cannot tell: the client is to come again.
        case comeAgain

        static var done: Outcome { .answer("\"\"") }
    }

    let request: RealtimeSession.Request
    let admitted: AdmittedSocket
    let identity: RealtimeIdentity
    /// The name of the client's session, as of a connection that leaves writes for its end.
    let connection: TreeKey
    /// Whether somebody listens for the client.
    let isListening: Bool
    /// Those who do so with a query.
    let queries: [Listener]
    let loop: WebSocketLoop
    /// Is given the listener that a request begins, before the first event can come to it.
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

    /// Makes a write, and waits until this client has been told what it and those before it have changed: a client drops its
    /// own view of a write with the answer.
    private func commit(
        _ json: ArraySlice<UInt8>, ifHash hash: String? = nil, _ begin: () throws -> DatabaseWrite
    ) async -> Outcome {
        var outcome = Outcome.done
        do {
            var write = try begin()
            try write.receive(json.span)
            _ = try await identity.session.commit(write, ifHash: hash)
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
        // What the value has in it is told of other listeners before it.
        await admitted.database.waitForEvents(of: [])
        return .listening(start)
    }

    private func authenticate(by credential: RealtimeCredential) async throws -> Outcome {
        guard let proof = try await admitted.proof(of: credential) else { return .comeAgain }
        return .identified(RealtimeIdentity(proof, at: admitted), Self.answer(to: proof))
    }

    /// What the rules see of who was proved, and until when it holds, in seconds since the epoch.
    private static func answer(to proof: Proof) -> String {
        var auth = "null"
        if case .user(let user) = proof.identity { auth = String(decoding: user.auth.text, as: UTF8.self) }
        guard let expiry = proof.expiresAt else { return "{\"auth\":\(auth)}" }
        return "{\"auth\":\(auth),\"expires\":\(expiry.seconds)}"
    }
}
