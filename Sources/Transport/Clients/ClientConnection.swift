package import Access
package import HTTPTypes
import NIOCore
import Synchronization

/// The facts about a client that its connection reveals, whatever is sent over it.
package final class ClientConnection: Sendable {
    /// The other end of the connection.
    package enum Peer: Sendable {
        /// A process on this machine, on the Unix socket; nil when the system does not report its credentials.
        case process(PeerCredentials?)
        /// A program at an IP address.
        case network(String)
    }

    /// The connection whose requests the current task answers.
    @TaskLocal package static var current: ClientConnection?

    package let peer: Peer
    /// Whether the connection is encrypted up to this machine.
    package let isEncrypted: Bool
    /// The address of this machine on which a TCP connection was accepted.
    package let localAddress: IPAddress?
    /// The address of the client for which a proxy opened the connection.
    private let proxiedAddress = Mutex<String?>(nil)

    private let proxies: TrustedProxies?
    private let ends: ConnectionEnds?

    init(
        _ peer: Peer, isEncrypted: Bool = false, at localAddress: IPAddress? = nil, proxies: TrustedProxies? = nil,
        ends: ConnectionEnds? = nil
    ) {
        self.peer = peer
        self.localAddress = localAddress
        self.isEncrypted = isEncrypted
        self.proxies = proxies
        self.ends = ends
    }

    /// A connection without known properties; it is trusted with nothing.
    package static let unknown = ClientConnection(.network(""))

    /// Returns the connection of a channel that has just been accepted.
    static func of(
        _ channel: any Channel, isEncrypted: Bool, proxies: TrustedProxies?
    ) -> EventLoopFuture<ClientConnection> {
        guard channel.localAddress?.protocol == .unix else {
            // A socket for all addresses reports IPv4 addresses as IPv6 addresses.
            let address = channel.remoteAddress?.ipAddress.flatMap(IPAddress.init)?.description ?? ""
            return channel.eventLoop.makeSucceededFuture(
                ClientConnection(
                    .network(address), isEncrypted: isEncrypted,
                    at: channel.localAddress?.ipAddress.flatMap(IPAddress.init), proxies: proxies,
                    ends: ConnectionEnds(of: channel)))
        }
        return PeerCredentials.of(channel).map { ClientConnection(.process($0)) }
    }

    /// Whether the connection uses the Unix socket.
    package var isLocal: Bool { if case .process = peer { true } else { false } }

    /// The IP address of the other end; empty on the Unix socket.
    private var remoteAddress: String { if case .network(let address) = peer { address } else { "" } }

    /// Whether the other end is a trusted proxy.
    private var isFromProxy: Bool { proxies?.contains(remoteAddress) ?? false }

    /// Whether the other end is a program on this machine that is not a trusted proxy.
    package var isUnnamedOnLoopback: Bool { HostName.isLoopback(remoteAddress) && !isFromProxy }

    /// Whether the connection begins with a PROXY header.
    var expectsProxyHeader: Bool { isFromProxy && proxies?.announcement == .header }

    /// Returns the IP address of the client that sends a request: the address that a trusted proxy reports, otherwise
    /// that of the other end; empty on the Unix socket.
    package func address(of request: HTTPRequest) -> String {
        if let address = proxiedAddress.withLock({ $0 }) { return address }
        guard isFromProxy, let proxies else { return remoteAddress }
        return proxies.client(of: request.headerFields) ?? remoteAddress
    }

    /// Whether a client sends a request over TLS: to this machine, or to a trusted proxy that reports it.
    package func isEncrypted(sending request: HTTPRequest) -> Bool {
        isEncrypted || isFromProxy && proxies?.isEncrypted(request.headerFields) == true
    }

    /// Whether a program on this machine sends a request, over the socket or loopback, and not a proxy for another
    /// client.
    package func isOnThisMachine(sending request: HTTPRequest) -> Bool {
        guard !isLocal else { return true }
        return isUnnamedOnLoopback && request.headerFields.proxyField == nil
    }

    /// The number of the system's user whose program on this machine opened a TCP connection, which may be a proxy; nil
    /// if the kernel does not list it. Reads the kernel's tables, which blocks for the longer, the more connections the
    /// machine has.
    package var localUser: UInt32? { ends?.peerUser }

    /// Whether the path between the client and this machine is private, as far as the server can tell: the Unix socket,
    /// loopback, TLS, or a proxy that terminates TLS.
    package var isPrivate: Bool { isLocal || isEncrypted || isFromProxy || HostName.isLoopback(remoteAddress) }

    /// Records the client for which a proxy opened the connection.
    func setProxiedAddress(_ address: String) { proxiedAddress.withLock { $0 = address } }
}
