/// What a request shows of who sends it.
package struct Credentials: Sendable {
    /// Where it comes from.
    package enum Peer: Sendable, Hashable {
        /// A process of this machine, over the Unix socket.
        case local(PeerCredentials)
        /// TCP.
        case network(address: String)
    }

    package var peer: Peer
    /// The bearer token that it carries (RFC 6750), or the one of its query; nil for none.
    package var token: String?
    /// The variable `auth` as which an owner wants to be judged, as JSON (`auth_variable_override`); nil for none.
    package var override: String?
    /// The id of the user for whom it is to act; nil for nobody else.
    package var actingFor: String?
    /// Whether a web page that another machine serves makes a browser send it.
    package var isFromForeignPage: Bool

    package init(
        peer: Peer, token: String? = nil, override: String? = nil, actingFor: String? = nil,
        isFromForeignPage: Bool = false
    ) {
        (self.peer, self.token, self.override, self.actingFor) = (peer, token, override, actingFor)
        self.isFromForeignPage = isFromForeignPage
    }
}
