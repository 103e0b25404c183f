/// The credentials of a request.
package struct Credentials: Sendable {
    /// The origin of the connection.
    package enum Peer: Sendable, Hashable {
        /// A process on this machine, over the Unix socket.
        case local(PeerCredentials)
        /// A connection over TCP.
        case network(address: String)
    }

    package var peer: Peer
    /// The bearer token of the header (RFC 6750) or of the query; nil for none.
    package var token: String?
    /// The variable `auth` that an owner wishes to act with, as JSON (`auth_variable_override`); nil for none.
    package var override: String?
    /// The id of the user that the request acts for; nil for the requester.
    package var actingFor: String?
    /// Whether a browser sends the request for a web page of another machine.
    package var isFromForeignPage: Bool

    package init(
        peer: Peer, token: String? = nil, override: String? = nil, actingFor: String? = nil,
        isFromForeignPage: Bool = false
    ) {
        (self.peer, self.token, self.override, self.actingFor) = (peer, token, override, actingFor)
        self.isFromForeignPage = isFromForeignPage
    }
}
