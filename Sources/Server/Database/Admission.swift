import API
import Access
import HTTPTypes
import Hummingbird

/// The one place where a request, or a stream, is let in: it says as whom it acts.
struct Admission: Sendable {
    static let denied = Failure(.permissionDenied, "Permission denied")

    private let policy: AccessPolicy

    init(_ settings: DatabaseSettings) {
        policy = AccessPolicy(isEmulator: settings.isEmulator, secret: settings.secret)
    }

    /// The identity that a request acts as.
    ///
    /// - Parameter isTrusted: Whether it came over the Unix socket.
    /// - Throws: `Failure` with the code `permission_denied` or `bad_token` for a request that is not let in.
    func admit(
        _ request: HTTPRequest, _ parameters: DatabaseParameters, isTrusted: Bool
    ) throws(Failure) -> Identity {
        let credentials = Credentials(
            isPeer: isTrusted, token: Self.bearerToken(request.headerFields) ?? parameters.token,
            isFromForeignPage: request.isFromForeignPage)
        do throws(AccessError) {
            return try policy.identity(for: credentials)
        } catch {
            switch error {
            case .denied: throw Self.denied
            case .badToken: throw Failure(.badToken, "Could not parse auth token.")
            }
        }
    }

    private static func bearerToken(_ headers: HTTPFields) -> String? {
        guard let value = headers[.authorization], value.utf8.count > 7, value.prefix(7).lowercased() == "bearer "
        else { return nil }
        return String(value.dropFirst(7))
    }
}
