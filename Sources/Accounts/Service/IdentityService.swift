package import Access
package import Logging
package import TreeModel

/// The service's own accounts, with the operations of Firebase's SDKs and firebase-admin: JSON in, JSON out, without
/// HTTP.
package final class IdentityService: Sendable {
    private let parts: IdentityParts
    private let logger: Logger
    private let audit: @Sendable (AuditEvent) -> Void

    /// - Parameters:
    ///   - authority: Issues and verifies ID tokens.
    ///   - proofs: Verify tokens of other issuers.
    ///   - site: Returns the service as messages name it at present.
    ///   - delivery: Sends messages with codes; nil if messages cannot be sent.
    ///   - audit: Called for actions of administrators and for refusals.
    package init(
        store: AccountStore, passwords: PasswordHasher, authority: TokenAuthority, proofs: IdentityProofs,
        throttle: Throttle, settings: IdentitySettings, site: @escaping @Sendable () -> AccountMessage.Site,
        delivery: CodeDelivery? = nil, logger: Logger,
        audit: @escaping @Sendable (AuditEvent) -> Void = { _ in }
    ) {
        let emulator = EmulatorState()
        let current = CurrentIdentitySettings(settings)
        let maker = CodeMaker(store: store, current: current, emulator: emulator, site: site)
        parts = IdentityParts(
            store: store, passwords: passwords, tokens: IDTokens(authority: authority, store: store), proofs: proofs,
            throttle: throttle, codes: CodeSender(maker: maker, delivery: delivery, logger: logger),
            invitations: Invitations(store: store, throttle: throttle, current: current),
            challenges: PasskeyChallenges(), emulator: emulator, current: current)
        self.logger = logger
        self.audit = audit
    }

    /// The ways in which people may make an account at present.
    package var signUp: SignUpMethods { parts.settings.signUp }

    /// Puts other ways of making an account into effect, from the next request on.
    package func adopt(_ signUp: SignUpMethods) { parts.current.adopt(signUp) }

    /// The requests to join.
    package var joinRequests: JoinRequests { JoinRequests(invitations: parts.invitations, codes: parts.codes) }

    /// The accounts of people without an address.
    package var classAccounts: ClassAccounts { ClassAccounts(store: parts.store, passwords: parts.passwords) }

    /// The invitations to create an account, or to join an audience.
    package var invitations: Invitations { parts.invitations }

    /// The making of an admin without another admin.
    package var adminSetup: AdminSetup { AdminSetup(store: parts.store, passwords: parts.passwords) }

    /// Whether messages with codes can be sent.
    package var canSendCodes: Bool { parts.codes.canSend }

    /// Performs a request.
    ///
    /// - Parameters:
    ///   - body: The JSON of the request; for a form or a query, an object of its fields.
    ///   - caller: The caller of the operation.
    ///   - idempotencyKey: The key by which a repeated request is recognised, as it was sent; nil for none. Only refreshes
    ///     have keys.
    package func perform(
        _ operation: IdentityOperation, _ body: JSONValue, by caller: IdentityCaller, idempotencyKey: String? = nil
    ) async throws(IdentityError) -> JSONValue {
        let request = IdentityRequest(body: body, caller: caller, idempotencyKey: idempotencyKey)
        do throws(IdentityError) {
            guard body.members != nil else { throw .invalidValue("the body, which is no object") }
            guard !operation.needsAdmin || caller.isAdmin, !operation.needsEmulator || parts.settings.isEmulator else {
                throw .insufficientPermission
            }
            let answer =
                operation.isOfAdmins
                ? try await administer(operation, request) : try await serve(operation, request)
            if caller.isAdmin, operation.isChange { note(operation, "done", request) }
            return answer
        } catch {
            if let reason = error.reason {
                logger.log(
                    level: error.status < 500 ? .warning : .error, "an identity operation failed",
                    metadata: ["operation": "\(operation.rawValue)", "reason": "\(reason)"])
            }
            note(operation, error.code, request, reason: error.reason)
            throw error
        }
    }

    /// Waits until all messages with codes that were requested before have been delivered.
    package func drain() async { await parts.codes.drain() }

    /// Performs the operations of apps, which administrators may also request.
    private func serve(
        _ operation: IdentityOperation, _ request: IdentityRequest
    ) async throws(IdentityError) -> JSONValue {
        switch operation {
        case .signUp: try await SignUp(parts: parts).run(request)
        case .signInWithClassCode: try await ClassCodeSignIn(parts: parts).run(request)
        case .signInWithPassword: try await PasswordSignIn(parts: parts).run(request)
        case .signInWithCustomToken: try await CustomTokenSignIn(parts: parts).run(request)
        case .signInWithIdp: try await ProviderSignIn(parts: parts).run(request)
        case .signInWithEmailLink: try await CodeUse(parts: parts).signIn(request)
        case .lookup: try await AccountLookup(parts: parts).run(request)
        case .update: try await AccountUpdate(parts: parts).run(request)
        case .delete: try await AccountDeletion(parts: parts).run(request)
        case .createAuthUri: try await CodeRequest(parts: parts).methods(request)
        case .sendOobCode: try await CodeRequest(parts: parts).send(request)
        case .resetPassword: try await CodeUse(parts: parts).resetPassword(request)
        case .startPasskeyEnrollment: try await PasskeyEnrollment(parts: parts).start(request)
        case .finalizePasskeyEnrollment: try await PasskeyEnrollment(parts: parts).finish(request)
        case .startPasskeySignIn: try PasskeySignIn(parts: parts).start(request)
        case .finalizePasskeySignIn: try await PasskeySignIn(parts: parts).finish(request)
        case .token: try await TokenRefresh(parts: parts).run(request)
        default: project
        }
    }

    /// Performs the operations that apps cannot request.
    private func administer(
        _ operation: IdentityOperation, _ request: IdentityRequest
    ) async throws(IdentityError) -> JSONValue {
        switch operation {
        case .create: try await AccountCreation(parts: parts).run(request)
        case .query: try await AccountListing(parts: parts).query(request)
        case .batchGet: try await AccountListing(parts: parts).page(request)
        case .batchCreate: try await AccountImport(parts: parts).run(request)
        case .batchDelete: try await AccountDeletion(parts: parts).batch(request)
        case .issueToken: try await TokenIssue(parts: parts).run(request)
        case .deleteAll: try await EmulatorOperations(parts: parts).deleteAll()
        case .oobCodes: EmulatorOperations(parts: parts).codes()
        case .createSessionCookie: try await SessionCookie(parts: parts).run(request)
        case .updateConfig: try EmulatorOperations(parts: parts).updateConfig(request)
        default: EmulatorOperations(parts: parts).config()
        }
    }

    /// The public settings of the project.
    private var project: JSONValue {
        [
            "projectId": .string(parts.tokens.authority.project),
            "authorizedDomains": .list(parts.settings.authorizedDomains.map(JSONValue.string)),
        ]
    }

    /// Reports an action or a refusal to the audit.
    private func note(
        _ operation: IdentityOperation, _ outcome: String, _ request: IdentityRequest, reason: String? = nil
    ) {
        // The id is only the requested one, and proves nothing.
        let uid = request.caller.isAdmin ? request.body["localId"]?.string : nil
        audit(
            AuditEvent(
                operation: operation, outcome: outcome, reason: reason, uid: uid, isAdmin: request.caller.isAdmin,
                address: request.caller.address))
    }
}
