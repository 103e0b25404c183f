import API
import Access
import Hummingbird
package import Model
import Requests
import TreeModel

extension HTTPContext {
    /// Whoever does something: the user who is signed in, or for whom an admin acts (`as`).
    ///
    /// - Throws: `Failure` with the code `permission_denied` for nobody, `bad_user` for an admin who does not say for whom.
    var actor: UserID {
        get throws(Failure) {
            switch identity {
            case .anonymous: throw .permissionDenied(hint: "sign in, and send the token in Authorization")
            case .admin: throw Failure(.badUser, "somebody has to do this", hint: "say who: as=UID")
            case .user(let user):
                guard let uid = user.uid.flatMap({ UserID($0) }) else {
                    throw Failure(
                        .badUser, "the token names no user that can post", hint: "1 to 128 of A–Z, a–z, 0–9, _ and -")
                }
                return uid
            }
        }
    }

    /// The user who looks at something, and sees nothing that a block hides; nil for an admin, and for somebody unknown.
    package var viewer: UserID? { identity.uid.flatMap { UserID($0) } }

    /// Sees to it that it is this user who does something, or an admin.
    ///
    /// - Parameter what: What is done, such as "like posts for somebody else".
    /// - Throws: `Failure` with the code `permission_denied` or `not_allowed`.
    func require(_ uid: UserID, for what: String) throws(Failure) {
        switch identity {
        case .admin: return
        case .anonymous: throw .permissionDenied(hint: "sign in, and send the token in Authorization")
        case .user(let user): guard user.uid == uid.description else { throw .notAllowed(what) }
        }
    }

    /// The admin who does something: a user whose token says so, as the rules of the tree have it; nil for the service's owner.
    ///
    /// - Parameter what: What is done, such as "making an announcement".
    /// - Throws: `Failure` with the code `admin_only`.
    func admin(for what: String) throws(Failure) -> UserID? {
        if case .user(let user) = identity, user.isAdmin {
            return user.uid.flatMap { UserID($0) }
        }
        try requireAdmin(for: what)
        return nil
    }

    /// The user whom a path names as `uid`.
    ///
    /// - Throws: `Failure` with the code `not_found` for what is no user's id.
    func user(in parameter: String = "uid") throws(Failure) -> UserID {
        guard let uid = UserID(parameters.get(parameter) ?? "") else {
            throw Failure(
                .notFound, "there is no such person", hint: "a person's id has 1 to 128 of A–Z, a–z, 0–9, _ and -")
        }
        return uid
    }
}

extension Failure {
    static let noSuchPerson = Failure(
        .notFound, "there is no such person", hint: "PUT /v1/people/{uid} makes one, and so does a person's first post")
}
