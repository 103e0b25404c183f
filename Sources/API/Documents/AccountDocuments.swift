import Foundation
package import TreeModel

/// An account, as the command line shows it.
package struct UserDocument: Document {
    package let uid: String
    package let email: String?
    /// Whether the person has proved that the e-mail address is theirs.
    package let isVerified: Bool
    package let name: String?
    package let phone: String?
    package let isDisabled: Bool
    /// Whether the account has the claim `admin`.
    package let isAdmin: Bool
    /// The custom claims, which are added to each of its ID tokens; nil if there are none.
    package let claims: JSONValue?
    /// The providers by which the person signs in, such as `password` or `google.com`.
    package let providers: [String]
    /// The time of the account's creation, in milliseconds since the epoch.
    package let created: Int64?
    /// The time of the last sign-in, in milliseconds since the epoch; nil before the first.
    package let lastSignIn: Int64?
    /// The password, if it was generated for the account just now; nil otherwise.
    package var password: String?

    private enum CodingKeys: String, CodingKey {
        case uid, email
        case isVerified = "verified"
        case name, phone
        case isDisabled = "disabled"
        case isAdmin = "admin"
        case claims, providers, created
        case lastSignIn = "last_sign_in"
        case password
    }

    /// Creates a document from an account in the JSON of the identity endpoints; nil for a value without a `localId`.
    package init?(identity: JSONValue) {
        guard let uid = identity["localId"]?.string else { return nil }
        self.uid = uid
        email = identity["email"]?.string
        isVerified = identity["emailVerified"]?.bool ?? false
        name = identity["displayName"]?.string
        phone = identity["phoneNumber"]?.string
        isDisabled = identity["disabled"]?.bool ?? false
        let text = identity["customAttributes"]?.string
        claims = text.flatMap { try? JSONValue(json: Data($0.utf8)) }
        isAdmin = claims?["admin"]?.bool ?? false
        var providers: [String] = []
        if case .list(let list)? = identity["providerUserInfo"] {
            providers = list.compactMap { $0["providerId"]?.string }
        }
        if identity["customAuth"]?.bool == true { providers.append("custom") }
        if identity["passkeyInfo"] != nil { providers.append("passkey") }
        self.providers = providers
        created = identity["createdAt"]?.string.flatMap(Int64.init)
        lastSignIn = identity["lastLoginAt"]?.string.flatMap(Int64.init)
    }
}

/// A token that the service issued.
package struct IssuedTokenDocument: Document {
    package let token: String
    /// The time at which the token expires, in milliseconds since the epoch.
    package let expires: Int64

    package init(token: String, expires: Int64) {
        self.token = token
        self.expires = expires
    }
}

/// An admin key: its name and times, without the key itself.
package struct AdminKeyDocument: Document {
    package let name: String
    /// The time of the key's creation, in milliseconds since the epoch.
    package let created: Int64
    /// The same time: a key does not change.
    package let updated: Int64?
    /// The time at which the key expires, in milliseconds since the epoch; nil for never.
    package let expires: Int64?
    /// The key itself; only in the response to the request that creates it.
    package let key: String?

    package init(name: String, created: Int64, expires: Int64?, key: String? = nil) {
        self.name = name
        self.created = created
        updated = created
        self.expires = expires
        self.key = key
    }
}

/// The deletion of an admin key.
package struct AdminKeyDeletionDocument: Document {
    package let name: String
    package var deleted = true

    package init(name: String) { self.name = name }
}

/// The replacement of a key that signs tokens or photo addresses.
package struct SigningKeyDocument: Document {
    /// The time from which the newest key signs, in milliseconds since the epoch.
    package let signsFrom: Int64

    private enum CodingKeys: String, CodingKey { case signsFrom = "signs_from" }

    package init(signsFrom: Int64) { self.signsFrom = signsFrom }
}

/// The replacement of the storage rules.
package struct StorageRulesDocument: Document {
    /// Whether everybody may fetch thumbnails now; otherwise thumbnails have signed addresses.
    package let areRenditionsPublic: Bool

    private enum CodingKeys: String, CodingKey { case areRenditionsPublic = "renditions_public" }

    package init(areRenditionsPublic: Bool) { self.areRenditionsPublic = areRenditionsPublic }
}
