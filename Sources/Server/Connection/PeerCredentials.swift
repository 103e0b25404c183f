import Glibc
import NIOCore

/// The process at the other end of a Unix socket, as the kernel saw it when it connected (unix(7), `SO_PEERCRED`).
struct PeerCredentials: Hashable, Sendable {
    /// The layout of `struct ucred`.
    let processID: Int32
    let userID: UInt32
    let groupID: UInt32

    /// The credentials of a channel's peer; nil where the system does not tell.
    static func of(_ channel: any Channel) -> EventLoopFuture<PeerCredentials?> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeSucceededFuture(nil)
        }
        let value: EventLoopFuture<PeerCredentials> = options.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
        return value.map(Optional.some).flatMapErrorThrowing { _ in nil }
    }
}
