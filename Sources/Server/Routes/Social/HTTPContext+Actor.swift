import API
import Access
import Hummingbird
package import Model
import Requests
import TreeModel

extension HTTPContext {
    /// The user who acts: the authenticated user, or the user for whom an admin acts (`as`).
    ///
    /// - Throws: `Failure` with the code `permission_denied` for an unauthenticated request, `bad_user` for an admin
    ///   who names no user.
    var actor: UserID {
        get throws(Failure) {
            switch identity {
            case .anonymous: throw .permissionDenied(hint: "Sign in, and send the token in Authorization.")
            case .admin: throw Failure(.badUser, "this requires a user", hint: "Name the user with as=UID.")
            case .user(let user):
                guard let uid = user.uid.flatMap({ UserID($0) }) else {
                    throw Failure(
                        .badUser, "the token does not name a user that can post",
                        hint: "Use 1 to 128 of A–Z, a–z, 0–9, _ and -.")
                }
                return uid
            }
        }
    }

    /// The user whose blocks hide content from them; nil for an admin, and for an unauthenticated request.
    package var viewer: UserID? { identity.uid.flatMap { UserID($0) } }

    /// Checks that the request is from this user or an admin.
    ///
    /// - Parameter what: The action, such as "like posts for another user".
    /// - Throws: `Failure` with the code `permission_denied` or `not_allowed`.
    func require(_ uid: UserID, for what: String) throws(Failure) {
        switch identity {
        case .admin: return
        case .anonymous: throw .permissionDenied(hint: "Sign in, and send the token in Authorization.")
        case .user(let user): guard user.uid == uid.description else { throw .notAllowed(what) }
        }
    }

    /// Returns the acting admin: a user whose token grants it, as in the rules of the tree; nil for the service's
    /// owner.
    ///
    /// - Parameter what: The action, such as "making an announcement".
    /// - Throws: `Failure` with the code `admin_only`.
    func admin(for what: String) throws(Failure) -> UserID? {
        if case .user(let user) = identity, user.isAdmin {
            return user.uid.flatMap { UserID($0) }
        }
        try requireAdmin(for: what)
        return nil
    }

    /// Returns the user whom a path names as `uid`.
    ///
    /// - Throws: `Failure` with the code `not_found` for a malformed user id.
    func user(in parameter: String = "uid") throws(Failure) -> UserID {
        guard let uid = UserID(parameters.get(parameter) ?? "") else {
            throw Failure(
                .notFound, "the person does not exist", hint: "Use an id of 1 to 128 of A–Z, a–z, 0–9, _ and -.")
        }
        return uid
    }
}

extension Failure {
    static let noSuchPerson = Failure(
        .notFound, "the person does not exist",
        hint: "Create one with PUT /v1/people/{uid}, or with the person's first post.")
}
