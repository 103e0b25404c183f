import API
import Access
import Database
import HTTPTypes
import HummingbirdCore
import TreeModel

/// The one place where a request is let in, whether it is answered or begins a stream: it says as whom the request
/// acts.
struct Admission: Sendable {
    private let policy: AccessPolicy
    private let namespaces: DatabaseNamespaces
    private let database: RealtimeDatabase

    /// - Parameter publicHost: The host by which the service is known; nil for none.
    init(_ settings: DatabaseSettings, to database: RealtimeDatabase, publicHost: String?) {
        policy = AccessPolicy(isEmulator: settings.isEmulator, secret: settings.secret)
        namespaces = DatabaseNamespaces(mainName: settings.namespace, publicHost: publicHost)
        self.database = database
    }

    /// The identity that a request acts as.
    ///
    /// - Throws: `Failure` with the code `permission_denied` or `bad_token` for a request that is not let in.
    func admit(
        _ request: HTTPRequest, _ parameters: DatabaseParameters, from client: ClientConnection
    ) throws(Failure) -> Identity {
        let credentials = Credentials(
            isTrusted: client.isLocal, token: Self.bearerToken(request.headerFields) ?? parameters.token,
            isFromForeignPage: request.isFromForeignPage)
        do throws(AccessError) {
            return try policy.identity(for: credentials)
        } catch {
            switch error {
            case .denied: throw .permissionDenied()
            case .badToken: throw Failure(.badToken, "Could not parse auth token.")
            }
        }
    }

    /// Lets a request into the database.
    ///
    /// - Parameter uri: The address of the request.
    /// - Throws: `Failure` with the code `bad_request`, `permission_denied`, `bad_token` or `invalid_namespace`.
    func admit(_ request: HTTPRequest, at uri: URI, from client: ClientConnection) throws(Failure) -> AdmittedRequest {
        let parameters = try DatabaseParameters(query: uri.query)
        let identity = try admit(request, parameters, from: client)
        return AdmittedRequest(
            session: database.session(as: identity), parameters: parameters,
            namespace: try namespaces.namespace(named: parameters.namespace, host: request.authority))
    }

    private static func bearerToken(_ headers: HTTPFields) -> String? {
        guard let value = headers[.authorization], value.utf8.count > 7, value.prefix(7).lowercased() == "bearer "
        else { return nil }
        return String(value.dropFirst(7))
    }
}

extension Admission {
    /// By what a request says which tree it means, and who sends it.
    static let parameters: [Parameter] = [
        .query("ns", .text(matching: "^[-0-9_a-z]{1,64}$"), "the name of the tree"),
        .query("auth", .text, "a token, as in `Authorization`"),
        .query("access_token", .text, "a token, as in `Authorization`"),
    ]

    /// What may be wrong with that.
    static let errors: [ErrorCode] = [.permissionDenied, .badToken, .invalidNamespace]
}

/// A request that was let into the database.
struct AdmittedRequest: Sendable {
    /// The session of whoever sent it.
    let session: DatabaseSession
    let parameters: DatabaseParameters
    /// The tree that it means.
    let namespace: Namespace
}
