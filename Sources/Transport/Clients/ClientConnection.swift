package import Access
package import HTTPTypes
import NIOCore
import Synchronization

/// What a connection shows of its client by itself, whatever is sent over it.
package final class ClientConnection: Sendable {
    /// The end at which the client is.
    package enum Peer: Sendable {
        /// A process of this machine, on the Unix socket; nil when the system does not say whose.
        case process(PeerCredentials?)
        /// A program anywhere, at an IP address.
        case network(String)
    }

    /// The connection whose requests the current task answers.
    @TaskLocal package static var current: ClientConnection?

    package let peer: Peer
    /// Whether the connection is encrypted as far as this machine.
    package let isEncrypted: Bool
    /// The address of this machine at which a connection over TCP came in.
    package let localAddress: IPAddress?
    /// The address of the client for which a proxy has opened the connection.
    private let proxiedAddress = Mutex<String?>(nil)

    private let proxies: TrustedProxies?

    init(
        _ peer: Peer, isEncrypted: Bool = false, at localAddress: IPAddress? = nil, proxies: TrustedProxies? = nil
    ) {
        self.peer = peer
        self.localAddress = localAddress
        self.isEncrypted = isEncrypted
        self.proxies = proxies
    }

    /// A connection of which nothing is known: it is trusted with nothing.
    package static let unknown = ClientConnection(.network(""))

    /// The connection of a channel that has just been accepted.
    static func of(
        _ channel: any Channel, isEncrypted: Bool, proxies: TrustedProxies?
    ) -> EventLoopFuture<ClientConnection> {
        guard channel.localAddress?.protocol == .unix else {
            // A socket for all addresses writes those of version 4 as ones of version 6.
            let address = channel.remoteAddress?.ipAddress.flatMap(IPAddress.init)?.description ?? ""
            return channel.eventLoop.makeSucceededFuture(
                ClientConnection(
                    .network(address), isEncrypted: isEncrypted,
                    at: channel.localAddress?.ipAddress.flatMap(IPAddress.init), proxies: proxies))
        }
        return PeerCredentials.of(channel).map { ClientConnection(.process($0)) }
    }

    /// Whether the connection came through the Unix socket.
    package var isLocal: Bool { if case .process = peer { true } else { false } }

    /// The IP address of the other end; empty on the Unix socket.
    private var remoteAddress: String { if case .network(let address) = peer { address } else { "" } }

    /// Whether the other end is a proxy that is believed.
    private var isFromProxy: Bool { proxies?.contains(remoteAddress) ?? false }

    /// Whether the other end is a program on this machine, and no proxy that is believed.
    package var isUnnamedOnLoopback: Bool { HostName.isLoopback(remoteAddress) && !isFromProxy }

    /// Whether the connection begins with the header of a proxy.
    var expectsProxyHeader: Bool { isFromProxy && proxies?.announcement == .header }

    /// The IP address of the client that sends a request: that for which a trusted proxy sends it, else that of the
    /// other end; empty on the Unix socket.
    package func address(of request: HTTPRequest) -> String {
        if let address = proxiedAddress.withLock({ $0 }) { return address }
        guard isFromProxy, let proxies else { return remoteAddress }
        return proxies.client(of: request.headerFields) ?? remoteAddress
    }

    /// Whether a program of this machine sends a request, by the socket or over loopback, and no proxy for somebody else.
    package func isOnThisMachine(sending request: HTTPRequest) -> Bool {
        guard !isLocal else { return true }
        return isUnnamedOnLoopback && request.headerFields.proxyField == nil
    }

    /// Whether nobody reads along between the client and this machine, as far as can be known here: on the Unix socket,
    /// on loopback, with TLS, or through a proxy that terminates it.
    package var isPrivate: Bool { isLocal || isEncrypted || isFromProxy || HostName.isLoopback(remoteAddress) }

    /// Notes for whom a proxy has opened the connection.
    func setProxiedAddress(_ address: String) { proxiedAddress.withLock { $0 = address } }
}
