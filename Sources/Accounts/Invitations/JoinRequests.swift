import Model
import Tree
import TreeModel

/// Takes, lists, approves and declines requests to join.
///
/// Methods may be called from any task.
package struct JoinRequests: Sendable {
    let invitations: Invitations
    let codes: CodeSender

    /// Whether people may send requests.
    package var areTaken: Bool { invitations.settings.takesJoinRequests }

    private var store: AccountStore { invitations.store }

    /// Stores a request. Nothing shows whether the address has an account, or has sent a request before.
    ///
    /// - Parameters:
    ///   - name: A line of 1 to `JoinRequest.maxNameLength` characters, checked.
    ///   - text: At most `JoinRequest.maxTextLength` characters, checked.
    ///   - address: The identity of the caller for throttling; nil for callers that are not throttled.
    /// - Throws: `OPERATION_NOT_ALLOWED`, `INVALID_EMAIL`, `TOO_MANY_JOIN_REQUESTS` or `TOO_MANY_ATTEMPTS_TRY_LATER`.
    package func add(
        name: String, email: String, text: String, from address: String?
    ) async throws(IdentityError) {
        guard areTaken else { throw .operationNotAllowed }
        guard let email = EmailAddress(email) else { throw .invalidEmail }
        if let address, !invitations.settings.isEmulator { try invitations.throttle.joinRequest(from: address) }
        try await store.transact { transaction in
            let path = AccountNodes.joinRequest()
            guard try transaction.reader.snapshot.childCount(of: path) < JoinRequest.maxCount else {
                throw IdentityError("TOO_MANY_JOIN_REQUESTS", status: 409)
            }
            let id = JoinRequest.id(of: email)
            guard try transaction.reader.account(email: email) == nil,
                try !transaction.reader.snapshot.exists(path / TreeKey(unchecked: id))
            else { return }
            let request = JoinRequest(id: id, email: email, name: name, text: text, createdAt: transaction.now)
            transaction.set(path / TreeKey(unchecked: id), to: request.value)
        }
    }

    /// Returns all requests, the oldest first.
    package func list() async throws(IdentityError) -> [JoinRequest] {
        try await store.transact { transaction in
            try transaction.reader.snapshot.children(of: AccountNodes.joinRequest(), limit: JoinRequest.maxCount)
                .compactMap { JoinRequest($0.value, at: $0.key) }
        }.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// Approves a request: makes an invitation for its address, and sends it if messages can be sent.
    ///
    /// - Parameter order: The audience and the role that the person gets, and the number of days.
    /// - Returns: The invitation, its code, and whether it is being sent.
    /// - Throws: `JOIN_REQUEST_NOT_FOUND`, or the errors of `Invitations.add`.
    package func approve(
        _ id: String, _ order: InvitationOrder, by maker: InvitationMaker
    ) async throws(IdentityError) -> (invitation: Invitation, code: InvitationCode, isSent: Bool) {
        var order = order
        order.email = try await request(id).email
        let (invitation, code) = try await invitations.add(order, by: maker, answering: id)
        guard let link = invitations.settings.link(to: code), let email = order.email, codes.canSend else {
            return (invitation, code, false)
        }
        try codes.send(
            AccountMessage(
                kind: "INVITATION", email: email.description, code: code.shown, link: link,
                expiresMilliseconds: invitation.expiresAt.milliseconds, site: codes.site))
        return (invitation, code, true)
    }

    /// Declines a request; its sender receives no message, and may send another one.
    ///
    /// - Throws: `JOIN_REQUEST_NOT_FOUND`.
    package func decline(_ id: String) async throws(IdentityError) -> JoinRequest {
        let request = try await request(id)
        try await store.transact { transaction in try Self.remove(id, in: &transaction) }
        return request
    }

    private func request(_ id: String) async throws(IdentityError) -> JoinRequest {
        try await store.transact { try $0.invitations.joinRequest(id) }
    }

    /// Deletes a request.
    ///
    /// - Throws: `JOIN_REQUEST_NOT_FOUND`, also when another admin has answered it in the meantime.
    static func remove(_ id: String, in transaction: inout AccountTransaction) throws {
        let request = try transaction.invitations.joinRequest(id)
        transaction.set(AccountNodes.joinRequest() / TreeKey(unchecked: request.id), to: nil)
    }
}
