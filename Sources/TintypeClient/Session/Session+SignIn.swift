import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Ways to sign in. Each one replaces the person who is signed in before, once the service has accepted it. They throw
/// `Problem` with the codes of `Problem.Code`, `TransportError`, and `SessionError.keychain`.
extension Session {
    /// Creates an account, and signs in to it.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - password: The password.
    ///   - name: The name of the person; nil for none.
    ///   - invitation: The code of an invitation, or its whole link.
    @discardableResult
    public func signUp(
        email: String, password: String, name: String? = nil, invitation: String? = nil
    ) async throws -> Account {
        try await signIn(
            "signUp",
            [
                "email": .string(email), "password": .string(password), "displayName": name.map(JSONValue.string),
                "invitation": invitation.map(JSONValue.string),
            ])
    }

    /// Signs in with a password.
    @discardableResult
    public func signIn(email: String, password: String) async throws -> Account {
        try await signIn("signInWithPassword", ["email": .string(email), "password": .string(password)])
    }

    /// Creates an account without an address. It is lost with the sign-out, unless a password is added to it.
    @discardableResult
    public func signInAnonymously() async throws -> Account { try await signIn("signUp", [:]) }

    /// Signs in with the code of a message to an address; see `sendSignInLink(to:continueURL:)`.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - code: The code of the message.
    ///   - invitation: The code of an invitation, or its whole link, for those who have no account.
    @discardableResult
    public func signIn(email: String, code: String, invitation: String? = nil) async throws -> Account {
        try await signIn(
            "signInWithEmailLink",
            [
                "email": .string(email), "oobCode": .string(code), "invitation": invitation.map(JSONValue.string),
            ])
    }

    /// Signs in with the link of a message to an address.
    ///
    /// - Throws: `Problem` with the code `invalidCode` also for a link without a code.
    @discardableResult
    public func signIn(email: String, link: URL, invitation: String? = nil) async throws -> Account {
        let fields = URLComponents(url: link, resolvingAgainstBaseURL: true)?.queryItems ?? []
        guard let code = fields.first(where: { $0.name == "oobCode" })?.value else {
            throw Problem(.invalidCode, status: 400, message: "The link has no code.")
        }
        return try await signIn(email: email, code: code, invitation: invitation)
    }

    /// Signs in without an address, as children of a class do.
    ///
    /// - Parameters:
    ///   - code: The code of the class.
    ///   - name: The first name, which is unique in the class.
    ///   - picture: The picture that the child has chosen, or chooses now.
    ///   - isNew: Whether the child enters for the first time.
    @discardableResult
    public func signIn(
        classCode code: String, name: String, picture: ClassPicture, isNew: Bool = false
    ) async throws -> Account {
        try await signIn(
            "signInWithClassCode",
            [
                "invitation": .string(code), "displayName": .string(name), "picture": .string(picture.rawValue),
                "isNew": .bool(isNew),
            ])
    }

    /// Signs in with a token that a server has made for the person.
    @discardableResult
    public func signIn(customToken token: String) async throws -> Account {
        try await signIn("signInWithCustomToken", ["token": .string(token)])
    }

    /// Signs in with the ID token of another provider, which the service must trust.
    ///
    /// - Parameters:
    ///   - provider: The name of the provider, such as `apple.com` or `google.com`.
    ///   - token: The ID token.
    ///   - nonce: The nonce whose hash is in the token, if there is one.
    ///   - invitation: The code of an invitation, or its whole link, for those who have no account.
    @discardableResult
    public func signIn(
        provider: String, idToken token: String, nonce: String? = nil, invitation: String? = nil
    ) async throws -> Account {
        let answer = try await identity.call(
            "signInWithIdp", TokenGrant.fields(provider, token, nonce, invitation: invitation))
        return try await tokens.signIn(try TokenGrant(ofProvider: answer))
    }

    private func signIn(_ operation: String, _ fields: [String: JSONValue?]) async throws -> Account {
        let secure: [String: JSONValue?] = ["returnSecureToken": true]
        return try await tokens.signIn(
            try TokenGrant(try await identity.call(operation, fields.merging(secure) { $1 })))
    }
}

/// Further ways to sign in to the account that is signed in now, which keeps its id. The person must have signed in within
/// the last five minutes.
extension Session {
    /// Adds an address and a password to an account, such as an anonymous one.
    @discardableResult
    public func addPassword(
        email: String, password: String, name: String? = nil, invitation: String? = nil
    ) async throws -> Account {
        let (answer, generation) = try await tokens.callAsUser(
            "signUp",
            [
                "email": .string(email), "password": .string(password), "displayName": name.map(JSONValue.string),
                "invitation": invitation.map(JSONValue.string), "returnSecureToken": true,
            ])
        return try await tokens.signIn(try TokenGrant(answer), during: generation)
    }

    /// Adds another provider to an account.
    @discardableResult
    public func addProvider(
        _ provider: String, idToken token: String, nonce: String? = nil, invitation: String? = nil
    ) async throws -> Account {
        let fields = TokenGrant.fields(provider, token, nonce, invitation: invitation)
        let (answer, generation) = try await tokens.callAsUser("signInWithIdp", fields)
        return try await tokens.signIn(try TokenGrant(ofProvider: answer), during: generation)
    }
}

/// The picture that a child chooses as a simple secret.
public enum ClassPicture: String, CaseIterable, Codable, Sendable {
    /// An anchor.
    case anchor
    /// An apple.
    case apple
    /// A balloon.
    case balloon
    /// A bell.
    case bell
    /// A boat.
    case boat
    /// A cloud.
    case cloud
    /// A drum.
    case drum
    /// A fish.
    case fish
    /// A flower.
    case flower
    /// A house.
    case house
    /// A key.
    case key
    /// A kite.
    case kite
    /// A leaf.
    case leaf
    /// The moon.
    case moon
    /// A star.
    case star
    /// The sun.
    case sun
}
