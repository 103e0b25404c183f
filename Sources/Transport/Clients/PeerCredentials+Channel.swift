import Access
import Glibc
import NIOCore

/// The kernel's description of the process at the other end (`struct ucred`).
private struct KernelCredentials: Sendable {
    let processID: Int32
    let userID: UInt32
    let groupID: UInt32
}

extension PeerCredentials {
    /// Returns the credentials of the peer of a channel on a Unix socket; nil where the system does not report them.
    static func of(_ channel: any Channel) -> EventLoopFuture<PeerCredentials?> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeSucceededFuture(nil)
        }
        let value: EventLoopFuture<KernelCredentials> = options.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
        return value.map { kernel in
            PeerCredentials(userID: kernel.userID, groupID: kernel.groupID, processID: kernel.processID)
        }.flatMapErrorThrowing { _ in nil }
    }
}
