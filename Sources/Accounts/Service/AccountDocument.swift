import Foundation
import TreeModel

extension Account {
    /// The replacement for the hash of a password in responses: the text `REDACTED` in Base64. SDKs treat an account
    /// without it as anonymous.
    static let redactedHash: JSONValue = "UkVEQUNURUQ="

    /// The account as lookups return it.
    var document: JSONValue {
        var members: [String: JSONValue] = [
            "localId": .string(uid), "createdAt": .string(String(createdAt.milliseconds)),
            "validSince": .string(String(validSinceSeconds)), "emailVerified": .bool(isEmailVerified),
        ]
        members["email"] = email.map { .string($0.description) }
        members["displayName"] = displayName.map(JSONValue.string)
        members["photoUrl"] = photoURL.map(JSONValue.string)
        members["phoneNumber"] = phoneNumber.map(JSONValue.string)
        members["passwordHash"] = passwordHash.map { _ in Self.redactedHash }
        members["passwordUpdatedAt"] = passwordChangedAt.map { .integer(Int($0.milliseconds)) }
        members["customAttributes"] = customClaims.map(JSONValue.string)
        members["disabled"] = isDisabled ? true : nil
        members["customAuth"] = signsInByCustomToken ? true : nil
        members["emailLinkSignin"] = signsInByEmailLink ? true : nil
        members["lastLoginAt"] = lastSignInAt.map { .string(String($0.milliseconds)) }
        members["lastRefreshAt"] = lastRefreshAt.map { moment -> JSONValue in
            let date = Date(timeIntervalSince1970: Double(moment.seconds))
            return .string(date.formatted(.iso8601))
        }
        members["passkeyInfo"] = passkeys.isEmpty ? nil : .list(passkeys.map(\.document))
        let providers = providerDocuments
        members["providerUserInfo"] = providers.isEmpty ? nil : .list(providers)
        return .object(members)
    }

    /// The methods of sign-in, as responses list them.
    var providerDocuments: [JSONValue] {
        var providers = identities.map(\.document)
        if let email, passwordHash != nil || signsInByEmailLink {
            let identity = FederatedIdentity(
                provider: "password", rawID: email.description, email: email.description, displayName: displayName,
                photoURL: photoURL)
            providers.append(identity.document)
        }
        if let phoneNumber {
            providers.append([
                "providerId": "phone", "rawId": .string(phoneNumber), "phoneNumber": .string(phoneNumber),
            ])
        }
        return providers
    }
}

extension FederatedIdentity {
    fileprivate var document: JSONValue {
        var members: [String: JSONValue] = [
            "providerId": .string(provider), "rawId": .string(rawID), "federatedId": .string(rawID),
        ]
        members["email"] = email.map(JSONValue.string)
        members["displayName"] = displayName.map(JSONValue.string)
        members["photoUrl"] = photoURL.map(JSONValue.string)
        return .object(members)
    }
}
