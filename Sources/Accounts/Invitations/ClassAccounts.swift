package import Model
import Tree
package import TreeModel

/// The accounts of people without an address, for the owners of their class and admins.
///
/// Methods may be called from any task.
package struct ClassAccounts: Sendable {
    let store: AccountStore
    let passwords: PasswordHasher

    /// An account of a class.
    package struct Entry: Hashable, Sendable {
        package let uid: String
        package let name: String
        package let createdAt: Timestamp
        /// The time of the last change of the picture, or else of the creation.
        package let updatedAt: Timestamp
        package let lastSignInAt: Timestamp?
    }

    /// Returns the accounts of a class, in the order of their names.
    ///
    /// - Throws: `NOT_OWNER` or `AUDIENCE_NOT_FOUND`.
    package func list(of audience: AudienceID, for maker: InvitationMaker) async throws(IdentityError) -> [Entry] {
        try await store.transact { transaction in
            try transaction.invitations.requireOwner(maker, of: audience)
            let members = try transaction.reader.snapshot.keys(
                of: AudienceNodes.member(audience), limit: AudienceRole.maxMembers)
            return try members.compactMap { try transaction.reader.account($0.string) }
                .filter { $0.classIdentity(in: audience) != nil }.map {
                    Entry(
                        uid: $0.uid, name: $0.displayName ?? "", createdAt: $0.createdAt,
                        updatedAt: $0.passwordChangedAt ?? $0.createdAt, lastSignInAt: $0.lastSignInAt)
                }
        }.sorted { ($0.name, $0.uid) < ($1.name, $1.uid) }
    }

    /// Deletes an account of a class, and its membership; its posts stay.
    ///
    /// - Throws: `NOT_OWNER`, or `USER_NOT_FOUND` for an account that is not one of the class.
    package func remove(
        _ uid: UserID, of audience: AudienceID, by maker: InvitationMaker
    ) async throws(IdentityError) {
        try await store.transact { transaction in
            let account = try transaction.invitations.child(uid, of: audience, for: maker)
            try transaction.delete(account)
            transaction.set(AudienceNodes.member(audience) / uid.key, to: nil)
        }
    }

    /// Sets another picture, and ends all sessions of the account.
    ///
    /// - Throws: `NOT_OWNER`, or `USER_NOT_FOUND` for an account that is not one of the class.
    package func setPicture(
        _ picture: ClassPicture, of uid: UserID, in audience: AudienceID, by maker: InvitationMaker
    ) async throws(IdentityError) {
        let known = try await store.transact { try $0.invitations.child(uid, of: audience, for: maker) }
        guard let identity = known.classIdentity(in: audience) else { throw .userNotFound }
        let hash = try await passwords.hash(picture.password(of: identity), for: audience.description)
        try await store.transact { transaction in
            let old = try transaction.invitations.child(uid, of: audience, for: maker)
            guard old.classIdentity(in: audience) == identity else { throw IdentityError.userNotFound }
            var account = old
            account.passwordHash = hash
            account.signOut(at: transaction.now)
            try transaction.replace(old, by: account)
        }
    }
}

extension InvitationReader {
    /// Returns an account without an address that belongs to a class, for an owner of the class.
    fileprivate func child(_ uid: UserID, of audience: AudienceID, for maker: InvitationMaker) throws -> Account {
        try requireOwner(maker, of: audience)
        guard let account = try AccountReader(snapshot: snapshot).account(uid.description),
            account.classIdentity(in: audience) != nil
        else { throw IdentityError.userNotFound }
        return account
    }
}
