import TreeModel

extension Proof {
    /// Returns the proof with which an owner acts as another identity (`auth_variable_override`).
    ///
    /// - Parameter json: The variable `auth` of security rules, or `null` for an anonymous identity; nil leaves the
    ///   proof unchanged.
    /// - Throws: ``AccessError`` with the case `denied` if the proof is not an owner's, or `badOverride`.
    func overridden(by json: String?) throws(AccessError) -> Proof {
        guard let json else { return self }
        guard case .admin(let expiry) = subject else { throw .denied }
        guard json.utf8.count <= WebToken.maxBytes, let auth = JSONValue(text: json.utf8) else { throw .badOverride }
        if auth == .null { return Proof(kind, .anonymous, isOwnerActing: true) }
        guard auth.members != nil else { throw .badOverride }
        let user = User(uid: auth["uid"]?.string, auth: auth, expiresAt: expiry)
        return Proof(kind, .user(ProvenUser(user, signInSeconds: .max)), isOwnerActing: true)
    }

    /// Returns the proof with which an owner acts for a user, or a user for themselves.
    ///
    /// - Throws: ``AccessError`` with the case `denied` for all other identities, and for an invalid user id.
    func acting(for uid: String?) throws(AccessError) -> Proof {
        guard let uid else { return self }
        guard TokenSubject.isValid(uid) else { throw .denied }
        switch subject {
        case .admin(let expiry):
            let user = ProvenUser(named: uid).user
            let expiring = User(uid: uid, auth: user.auth, expiresAt: expiry)
            return Proof(kind, .user(ProvenUser(expiring, signInSeconds: .max)), isOwnerActing: true)
        case .user(let proven) where proven.user.uid?.isSame(as: uid) == true: return self
        case .user, .anonymous: throw .denied
        }
    }
}

extension ProvenUser {
    /// Creates a user for whom a process on this machine or the owner vouches; it does not expire.
    init(named uid: String) {
        let auth: JSONValue = [
            "uid": .string(uid), "provider": "system",
            "token": ["sub": .string(uid), "firebase": ["sign_in_provider": "system", "identities": [:]]],
        ]
        self.init(User(uid: uid, auth: auth), signInSeconds: .max)
    }
}
