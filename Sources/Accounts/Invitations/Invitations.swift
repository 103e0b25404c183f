import Cryptography
package import Model
import Tree
package import TreeModel

/// Makes, lists, checks and withdraws invitations, and lets people with an account use them. Sign-ups use them in
/// `SignUp`.
///
/// Methods may be called from any task.
package struct Invitations: Sendable {
    let store: AccountStore
    let throttle: Throttle
    let current: CurrentIdentitySettings

    /// The operator's settings at present.
    var settings: IdentitySettings { current.value }

    /// The purpose of an invitation, as a stranger who holds its code learns it.
    package struct Purpose: Hashable, Sendable {
        package let invitation: Invitation
        /// The name of the audience; nil without one.
        package let audienceName: String?
        /// The name of the person who invites; nil for the owner of the service, or a person without a name.
        package let makerName: String?
        /// Whether people without an account can create one with it.
        package let admits: Bool
    }

    /// The current time.
    package var now: Timestamp { store.now }

    /// Returns the link with a code; nil if the address of the service is not known.
    package func link(to code: InvitationCode) -> String? { settings.link(to: code) }

    /// Makes an invitation.
    ///
    /// - Parameter request: The id of the request to join that it answers, which is deleted; nil for none.
    /// - Returns: The invitation, and its code, which is shown once if it is not a short one.
    /// - Throws: `INVALID_ARGUMENT`, `INSUFFICIENT_PERMISSION`, `AUDIENCE_NOT_FOUND`, `TOO_MANY_INVITATIONS`
    ///   or `JOIN_REQUEST_NOT_FOUND`.
    package func add(
        _ order: InvitationOrder, by maker: InvitationMaker, answering request: String? = nil
    ) async throws(IdentityError) -> (invitation: Invitation, code: InvitationCode) {
        let order = try order.checked()
        let (code, random): (InvitationCode, [UInt8])
        do throws(KeyError) {
            (code, random) = (try .make(isShort: order.isShort), try RandomText.bytes(4))
        } catch {
            throw .unavailable(reason: "\(error)")
        }
        let invitation = try await store.transact { transaction in
            let now = transaction.now
            let made = Invitation(
                id: Self.id(at: now, random), hash: code.hash, shortCode: code.isShort ? code.text : nil,
                audience: order.audience, role: order.role, grantsAdmin: order.grantsAdmin,
                isWithoutAddress: order.isWithoutAddress, email: order.email, note: order.note, maker: maker.uid,
                createdAt: now, expiresAt: now + .seconds(Int64(order.days ?? 0) * 86_400), maxUses: order.uses ?? 0)
            try made.add(to: &transaction, by: maker)
            if let request { try JoinRequests.remove(request, in: &transaction) }
            return made
        }
        return (invitation, code)
    }

    /// Returns an id: the time in milliseconds in base 36, and 8 random digits of base 16.
    static func id(at now: Timestamp, _ random: [UInt8]) -> String {
        let time = String(max(0, now.milliseconds), radix: 36)
        return String(repeating: "0", count: max(0, 8 - time.count)) + time + Hex.encode(random)
    }

    /// Returns a page of the invitations that a requester may manage, the newest first.
    ///
    /// - Parameters:
    ///   - audience: The audience whose invitations are listed; nil for all.
    ///   - cursor: The last id of the previous page; nil for the first page.
    /// - Returns: The invitations, and the id after which the next page begins; nil on the last page.
    package func page(
        for maker: InvitationMaker, of audience: AudienceID? = nil, after cursor: String? = nil, limit: Int
    ) async throws(IdentityError) -> (invitations: [Invitation], next: String?) {
        let found = try await store.transact { transaction in
            try transaction.invitations.all().reversed().filter { invitation in
                guard audience == nil || invitation.audience == audience else { return false }
                return try cursor.map { invitation.id < $0 } ?? true
                    && transaction.invitations.mayManage(invitation, maker)
            }
        }
        return (Array(found.prefix(limit)), found.count > limit ? found[limit - 1].id : nil)
    }

    /// Withdraws an invitation; people who have used it stay.
    ///
    /// - Parameter id: The id or the code.
    /// - Throws: `INVITATION_NOT_FOUND`, also for one that the requester may not manage.
    package func withdraw(_ id: String, by maker: InvitationMaker) async throws(IdentityError) -> Invitation {
        // Codes are shorter or longer than ids.
        let code = try? InvitationCode(parsing: id, at: settings.origin)
        return try await store.transact { transaction in
            let reader = transaction.invitations
            var invitation = try code.map { try reader.invitation(of: $0) } ?? reader.invitation(id: id)
            guard try transaction.invitations.mayManage(invitation, maker) else {
                throw IdentityError.invitationNotFound
            }
            if invitation.withdrawnAt == nil {
                (invitation.withdrawnAt, invitation.changedAt) = (transaction.now, transaction.now)
                invitation.write(to: &transaction)
            }
            return invitation
        }
    }

    /// Reads a code from a request and checks that its invitation can be used, before costly work. Wrong codes are
    /// throttled.
    ///
    /// - Parameter address: The identity of the caller for throttling; nil for callers that are not throttled.
    /// - Throws: The errors of the code and of its invitation, or `TOO_MANY_ATTEMPTS_TRY_LATER`.
    package func check(_ text: String, from address: String?) async throws(IdentityError) -> Purpose {
        let code = try InvitationCode(parsing: text, at: settings.origin)
        return try await check(code, from: address)
    }

    /// Finds an invitation and its purpose, with the throttling of wrong codes.
    ///
    /// - Parameter isUsedUpToo: Whether one without uses left is found too.
    func check(
        _ code: InvitationCode, isUsedUpToo: Bool = false, from address: String?
    ) async throws(IdentityError) -> Purpose {
        let address = settings.isEmulator ? nil : address
        if let address { try throttle.beginInvitation(isShort: code.isShort, from: address) }
        let admits = settings.allowsInvitedSignUp
        let purpose = try await store.transact { transaction in
            let invitation = try transaction.invitations.usable(code, isUsedUpToo: isUsedUpToo)
            return try transaction.invitations.purpose(of: invitation, admits: admits)
        }
        if let address { throttle.invitationWasRight(isShort: code.isShort, from: address) }
        return purpose
    }

    /// Uses an invitation for a person who has an account, or a token of another issuer.
    ///
    /// - Returns: The invitation, and whether the person has gained anything by it.
    /// - Throws: The errors of ``check(_:from:)``, or `TOO_MANY_MEMBERS`.
    package func use(
        _ text: String, for uid: UserID, from address: String?
    ) async throws(IdentityError) -> (invitation: Invitation, isUsed: Bool) {
        let code = try InvitationCode(parsing: text, at: settings.origin)
        let address = settings.isEmulator ? nil : address
        if let address { try throttle.beginInvitation(isShort: code.isShort, from: address) }
        let used = try await store.transact { transaction in
            let account = try transaction.reader.account(uid.description)
            let isAdmin = account.map { AccountClaims.isAdmin($0.customClaims) } ?? true
            let used = try Invitation.use(code, for: uid, in: &transaction) { $0.grantsAdmin && !isAdmin }
            if used.isUsed, used.invitation.grantsAdmin, let account, !isAdmin {
                var admin = account
                admin.customClaims = AccountClaims.addingAdmin(to: account.customClaims)
                try transaction.replace(account, by: admin)
            }
            return used
        }
        if let address { throttle.invitationWasRight(isShort: code.isShort, from: address) }
        return used
    }
}
