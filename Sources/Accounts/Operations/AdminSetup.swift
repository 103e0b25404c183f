import Cryptography
import Model
import Tree
package import TreeModel

/// Makes an admin without asking an admin, and tells whether anybody has had an account: the part of a service's setup
/// that concerns accounts.
package struct AdminSetup: Sendable {
    /// The time for which the invitation of an admin is valid, in days.
    package static let invitationDays = 1

    /// The accounts of the service, as a setup sees them.
    package struct State: Hashable, Sendable {
        /// Whether there has ever been an account; one that was deleted counts, too.
        package let hasHadAccounts: Bool
        /// Whether a first setup has begun, and has not ended.
        package let hasBegun: Bool
    }

    /// An admin to make: an address, and a password that has been hashed.
    package struct Order: Sendable {
        package let email: EmailAddress
        fileprivate let password: NewPassword?
    }

    /// The way in which somebody becomes an admin.
    package enum Outcome: Sendable {
        case created(uid: String)
        /// The account with the address has got the claim `admin`; its password is as before.
        case promoted(uid: String)
        /// The account with the address has had the claim.
        case unchanged(uid: String)
        /// An invitation for the address, with its code; in a dry run, the code is not valid.
        case invited(Invitation, InvitationCode)
        /// A valid invitation for the address has been made before; its link is never shown again.
        case invitedBefore(Invitation)
    }

    private let store: AccountStore
    private let passwords: PasswordHasher

    package init(store: AccountStore, passwords: PasswordHasher) {
        (self.store, self.passwords) = (store, passwords)
    }

    package var now: Timestamp { store.now }

    /// The state of the accounts.
    package var state: State {
        get async throws(IdentityError) {
            try await store.transact { transaction in
                let snapshot = transaction.reader.snapshot
                return State(
                    hasHadAccounts: try snapshot.exists(AccountNodes.count()),
                    hasBegun: try snapshot.exists(AccountNodes.setup()))
            }
        }
    }

    /// Records that a first setup has begun, so that it can be repeated if the service is killed meanwhile.
    package func begin() async throws(IdentityError) {
        try await store.transact { transaction in transaction.set(AccountNodes.setup(), to: .bool(true)) }
    }

    /// Checks an address and a password, and hashes the password.
    ///
    /// - Throws: `INVALID_EMAIL`, `WEAK_PASSWORD`, or the errors of hashing.
    package func order(email text: String, password: String?) async throws(IdentityError) -> Order {
        guard let email = EmailAddress(text) else { throw IdentityError("INVALID_EMAIL") }
        if let password { try NewPassword.check(password) }
        return Order(email: email, password: try await NewPassword(password, for: "setup", by: passwords))
    }

    /// Makes an admin in one transaction, which also ends a first setup.
    ///
    /// - Parameters:
    ///   - isFirst: Whether nobody may have had an account before.
    ///   - isDryRun: Whether nothing is written.
    /// - Returns: The outcome; nil if somebody has had an account before.
    package func make(_ order: Order, isFirst: Bool, isDryRun: Bool) async throws(IdentityError) -> Outcome? {
        let newID = try SignUp.newID()
        let (code, random): (InvitationCode, [UInt8])
        do throws(KeyError) {
            (code, random) = (try .make(isShort: false), try RandomText.bytes(4))
        } catch {
            throw .unavailable(reason: "\(error)")
        }
        return try await store.transact { transaction in
            if isFirst, try transaction.reader.snapshot.exists(AccountNodes.count()) { return nil }
            var draft = transaction
            let outcome = try Self.make(order, newID, code, random, in: &draft)
            if !isDryRun {
                draft.set(AccountNodes.setup(), to: nil)
                transaction = draft
            }
            return outcome
        }
    }

    private static func make(
        _ order: Order, _ newID: String, _ code: InvitationCode, _ random: [UInt8],
        in transaction: inout AccountTransaction
    ) throws -> Outcome {
        if let known = try transaction.reader.account(email: order.email) {
            guard !AccountClaims.isAdmin(known.customClaims) else { return .unchanged(uid: known.uid) }
            var admin = known
            admin.customClaims = AccountClaims.addingAdmin(to: known.customClaims)
            try transaction.replace(known, by: admin)
            return .promoted(uid: known.uid)
        }
        let now = transaction.now
        if let password = order.password {
            var account = Account(uid: newID, createdAt: now)
            account.email = order.email
            account.displayName = name(in: order.email)
            account.customClaims = AccountClaims.addingAdmin(to: nil)
            password.apply(to: &account, isNew: true, at: now)
            try transaction.create(account)
            return .created(uid: newID)
        }
        let earlier = try transaction.invitations.all().first {
            $0.grantsAdmin && $0.email == order.email && $0.state(at: now) == .valid
        }
        if let earlier { return .invitedBefore(earlier) }
        let invitation = Invitation(
            id: Invitations.id(at: now, random), hash: code.hash, shortCode: nil, audience: nil, role: nil,
            grantsAdmin: true, isWithoutAddress: false, email: order.email, note: nil, maker: nil, createdAt: now,
            expiresAt: now + .seconds(Int64(invitationDays) * 86_400), maxUses: 1)
        try invitation.add(to: &transaction, by: .admin(nil))
        return .invited(invitation, code)
    }

    /// Returns the first name in an address, such as Ann in ann.lee@example.com, for posts until the admin chooses another
    /// one; nil if the address begins with another character than a letter.
    private static func name(in email: EmailAddress) -> String? {
        let letters = email.description.prefix { $0.isLetter }
        return letters.isEmpty ? nil : letters.prefix(1).uppercased() + letters.dropFirst()
    }
}
