import API
package import Accounts
import Model
import Social
package import Tree
import Uploads

/// Keeps the person at `people/{uid}` of each account from its sign-up on, and the quota of such accounts.
package enum AccountPerson {
    /// The name of an account without one, as in FriendlyPix.
    private static let unnamed = "Anonymous"

    /// Adds the person to the update of an account. A new person has the account's name and picture; an existing one
    /// whose name is still the account's previous name receives the new one. The person of a deleted account stays.
    @Sendable package static func write(
        _ account: ShownAccount, _ snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws {
        guard let uid = UserID(account.uid) else { return }
        try UserQuotas.setGroup(quotaGroup(of: account), of: uid, in: snapshot, &update)
        guard try !account.isDeleted && !snapshot.exists(PersonDeletion.task(of: uid)) else { return }
        let shown = try snapshot.nameAndPicture(of: uid)
        let name = account.name.flatMap(ProfileChange.Field.fullName.fitted)
        let formerName = account.formerName.flatMap(ProfileChange.Field.fullName.fitted)
        let path = PeopleNodes.person(uid)
        if shown.fullName == nil || shown.fullName == formerName ?? unnamed, shown.fullName != name ?? unnamed {
            update[path / "full_name"] = .string(name ?? unnamed)
        }
        if shown.fullName == nil, shown.profilePicture == nil,
            let picture = account.photoURL.flatMap(ProfileChange.Field.profilePicture.fitted)
        {
            update[path / "profile_picture"] = .string(picture)
        }
    }

    /// Returns the group whose quota applies to the user; nil for accounts that an admin created.
    private static func quotaGroup(of account: ShownAccount) -> QuotaScope? {
        guard account.isSelfMade, !account.isDeleted else { return nil }
        return account.isAnonymous ? .anonymous : .signedUp
    }
}
