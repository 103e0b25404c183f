package import API
package import Access
package import Database
package import HTTPTypes
package import HummingbirdCore
package import Requests
package import Transport
package import TreeModel

/// Admits requests for the database and opens the sessions of their senders.
package struct DatabaseAccess: Sendable {
    let namespaces: DatabaseNamespaces
    package let database: RealtimeDatabase

    /// - Parameter publicHost: The host name of the service; nil if it has none.
    package init(_ settings: DatabaseSettings, to database: RealtimeDatabase, publicHost: String?) {
        namespaces = DatabaseNamespaces(mainName: settings.namespace, publicHost: publicHost)
        self.database = database
    }

    /// Determines the tree of a request and opens a session for its sender.
    ///
    /// - Parameters:
    ///   - uri: The address of the request.
    ///   - client: The connection of the request.
    ///   - proof: The sender's proof of identity.
    ///   - activities: Counts the sender's reads and writes; nil for a sender without limits.
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

/// A request that was admitted to the database.
package struct AdmittedRequest: Sendable {
    /// The session of the request's sender.
    package let session: DatabaseSession
    package let parameters: DatabaseParameters
    /// The tree of the request.
    package let namespace: Namespace
}

extension DatabaseAccess {
    /// The parameters by which a request names its tree.
    package static let parameters: [Parameter] = [
        .query("ns", .text(matching: "^[-0-9_a-z]{1,64}$"), "the name of the tree")
    ]
}
