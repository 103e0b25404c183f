import Access
import Cryptography
import TreeModel

extension Account {
    /// The account as it is stored.
    var record: TreeValue {
        var fields: [TreeKey: TreeValue] = [
            "created": .integer(createdMilliseconds), "valid_since": .integer(validSinceSeconds),
            "min_sign_in": .integer(minSignInSeconds),
        ]
        fields["email"] = email.map { .string($0.description) }
        fields["email_verified"] = isEmailVerified ? true : nil
        fields["name"] = displayName.map(TreeValue.string)
        fields["photo"] = photoURL.map(TreeValue.string)
        fields["phone"] = phoneNumber.map(TreeValue.string)
        fields["password"] = passwordHash.map { .string($0.text) }
        fields["password_changed"] = passwordChangedMilliseconds.map(TreeValue.integer)
        fields["email_link"] = signsInByEmailLink ? true : nil
        fields["claims"] = customClaims.map(TreeValue.string)
        fields["disabled"] = isDisabled ? true : nil
        fields["custom_token"] = signsInByCustomToken ? true : nil
        fields["self_made"] = isSelfMade ? true : nil
        fields["last_sign_in"] = lastSignInMilliseconds.map(TreeValue.integer)
        fields["last_refresh"] = lastRefreshMilliseconds.map(TreeValue.integer)
        var records: [TreeKey: TreeValue] = [:]
        for identity in identities { records[AccountPaths.hash(identity.provider)] = identity.record }
        fields["identities"] = records.isEmpty ? nil : .object(records)
        return .object(fields)
    }

    /// Reads an account back; nil when a field that each has is missing.
    init?(uid: String, record: TreeValue) {
        guard let created = record["created"]?.integerValue, let validSince = record["valid_since"]?.integerValue else {
            return nil
        }
        self.init(uid: uid, createdMilliseconds: created)
        validSinceSeconds = validSince
        minSignInSeconds = record["min_sign_in"]?.integerValue ?? validSince
        email = record["email"]?.stringValue.flatMap(EmailAddress.init)
        isEmailVerified = record["email_verified"]?.boolValue ?? false
        displayName = record["name"]?.stringValue
        photoURL = record["photo"]?.stringValue
        phoneNumber = record["phone"]?.stringValue
        passwordHash = record["password"]?.stringValue.map(Secret.init)
        passwordChangedMilliseconds = record["password_changed"]?.integerValue
        signsInByEmailLink = record["email_link"]?.boolValue ?? false
        customClaims = record["claims"]?.stringValue
        isDisabled = record["disabled"]?.boolValue ?? false
        signsInByCustomToken = record["custom_token"]?.boolValue ?? false
        isSelfMade = record["self_made"]?.boolValue ?? false
        lastSignInMilliseconds = record["last_sign_in"]?.integerValue
        lastRefreshMilliseconds = record["last_refresh"]?.integerValue
        identities = (record["identities"]?.object ?? [:]).values.compactMap { FederatedIdentity($0) }
            .sorted { $0.provider < $1.provider }
    }
}

extension FederatedIdentity {
    fileprivate var record: TreeValue {
        var fields: [TreeKey: TreeValue] = ["provider": .string(provider), "id": .string(rawID)]
        fields["email"] = email.map(TreeValue.string)
        fields["name"] = displayName.map(TreeValue.string)
        fields["photo"] = photoURL.map(TreeValue.string)
        return .object(fields)
    }

    fileprivate init?(_ record: TreeValue) {
        guard let provider = record["provider"]?.stringValue, let rawID = record["id"]?.stringValue else { return nil }
        self.init(
            provider: provider, rawID: rawID, email: record["email"]?.stringValue,
            displayName: record["name"]?.stringValue, photoURL: record["photo"]?.stringValue)
    }
}
