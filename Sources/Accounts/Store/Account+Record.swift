package import Cryptography
package import TreeModel

extension Account: TreeRecord {
    package static let form = RecordForm(
        Self.init(
            uid:email:isEmailVerified:displayName:photoURL:phoneNumber:passwordHash:passwordChangedAt:
            signsInByEmailLink:identities:passkeys:customClaims:isDisabled:signsInByCustomToken:isSelfMade:
            createdAt:lastSignInAt:lastRefreshAt:validSinceSeconds:minSignInSeconds:endsSessions:),
        .init(keyAs: \.uid), .init("email", \.email), .init("email_verified", \.isEmailVerified, default: false),
        .init("name", \.displayName), .init("photo", \.photoURL), .init("phone", \.phoneNumber),
        .init("password", \.passwordHash), .init("password_changed", \.passwordChangedAt),
        .init("email_link", \.signsInByEmailLink, default: false),
        .init("identities", \.identities, default: []), .init("passkeys", \.passkeys, default: []),
        .init("claims", \.customClaims), .init("disabled", \.isDisabled, default: false),
        .init("custom_token", \.signsInByCustomToken, default: false), .init("self_made", \.isSelfMade, default: false),
        .init("created", \.createdAt), .init("last_sign_in", \.lastSignInAt),
        .init("last_refresh", \.lastRefreshAt), .init("valid_since", \.validSinceSeconds),
        .init("min_sign_in", \.minSignInSeconds, fallback: "valid_since"), .init(unstored: false))
}

extension FederatedIdentity: TreeRecord {
    package static let form = RecordForm(
        Self.init(provider:rawID:email:displayName:photoURL:), .init("provider", \.provider), .init("id", \.rawID),
        .init("email", \.email), .init("name", \.displayName), .init("photo", \.photoURL))
}

extension FederatedIdentity: ListElement {
    package static func list(_ value: TreeValue) -> [FederatedIdentity] {
        (value.object ?? [:]).values.compactMap { Self($0) }.sorted { $0.provider < $1.provider }
    }

    /// Returns identities keyed by the hashes of their providers.
    package static func value(of list: [FederatedIdentity]) -> TreeValue {
        .object(Dictionary(list.map { (AccountPaths.hash($0.provider), $0.value) }) { $1 })
    }
}

extension EmailAddress: TextFieldValue {}

extension Secret: FieldValue {
    package init?(_ value: TreeValue) {
        guard let text = value.stringValue else { return nil }
        self.init(text)
    }

    package var value: TreeValue { .string(text) }
}
