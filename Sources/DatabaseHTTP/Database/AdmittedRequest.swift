package import API
package import Access
package import Database
package import HTTPTypes
package import HummingbirdCore
package import Requests
package import Transport
package import TreeModel

/// The way from a request for the database to the session of whoever sent it.
package struct DatabaseAccess: Sendable {
    let namespaces: DatabaseNamespaces
    package let database: RealtimeDatabase

    /// - Parameter publicHost: The host by which the service is known; nil for none.
    package init(_ settings: DatabaseSettings, to database: RealtimeDatabase, publicHost: String?) {
        namespaces = DatabaseNamespaces(mainName: settings.namespace, publicHost: publicHost)
        self.database = database
    }

    /// Understands which tree a request is for.
    ///
    /// - Parameters:
    ///   - uri: The address of the request.
    ///   - client: The connection by which it comes.
    ///   - proof: What lets the request in.
    ///   - activities: What counts how much the sender reads and writes; nil for whoever has no limits.
    /// - Throws: `Failure` with the code `bad_request` or `invalid_namespace`.
    package func admit(
        _ request: HTTPRequest, at uri: URI, from client: ClientConnection, by proof: Proof,
        counting activities: Activities? = nil
    ) throws(Failure) -> AdmittedRequest {
        let parameters = try DatabaseParameters(query: uri.query)
        let network = LimitedClient.network(of: client.address(of: request))
        let session = database.session(
            as: proof.identity, from: network,
            counting: { cost throws(Failure) in
                if let activities { try activities.limiter.count(written: cost, of: activities.client) }
            }, reader: activities?.reader)
        return AdmittedRequest(
            session: session, parameters: parameters,
            namespace: try namespaces.namespace(named: parameters.namespace, host: request.authority))
    }
}

/// A request that was let into the database.
package struct AdmittedRequest: Sendable {
    /// The session of whoever sent it.
    package let session: DatabaseSession
    package let parameters: DatabaseParameters
    /// The tree that it means.
    package let namespace: Namespace
}

extension DatabaseAccess {
    /// By what a request says which tree it means.
    package static let parameters: [Parameter] = [
        .query("ns", .text(matching: "^[-0-9_a-z]{1,64}$"), "the name of the tree")
    ]
}
