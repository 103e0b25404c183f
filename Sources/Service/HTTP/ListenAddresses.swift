import API
import Foundation
import Glibc
import NIOCore
import NIOPosix
import Requests

/// The addresses at which the server listens: a Unix socket, and a loopback port when asked for.
///
/// The socket has mode 0660 from its first moment and goes away with the service. Storage is locked before a server
/// exists, so that a socket file which is there already was left by a process that is dead: it is replaced.
struct ListenAddresses: Sendable {
    /// The limit of the kernel (`sockaddr_un`), without the NUL at the end.
    private static let maxSocketPathBytes = 107

    let socketPath: String
    let tcp: ListenAddress?

    /// Sees whether the port can be listened at, and the socket's path used, without doing either.
    ///
    /// - Throws: `Failure` that names the address.
    func check() async throws {
        try checkSocketPath()
        guard let tcp, tcp.port > 0 else { return }
        do {
            // Nobody is let in: whoever connects meanwhile is cut off with the probe, which ends where it begins, on its
            // event loop: a busy process does not make it stay.
            let probe = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.autoRead, value: false)
            try await probe.bind(host: tcp.host, port: tcp.port).flatMap { $0.close() }.get()
        } catch let error as IOError {
            throw explained(error)
        }
    }

    /// Makes sure that the socket can be made, and that it is never for everybody: there is no moment between bind and chmod.
    ///
    /// - Throws: `Failure` when something else is in its place, or its path is too long.
    func prepareSocket() throws(Failure) {
        try checkSocketPath()
        umask(umask(0o007) | 0o007)
    }

    private func checkSocketPath() throws(Failure) {
        if let kind = kindAtSocketPath, kind != .typeSocket {
            throw Failure(
                .badSocketPath, "\(socketPath) is there already, and is no socket",
                hint: "move it away, or give the socket another path")
        }
        let byteCount = socketPath.utf8.count
        guard (1...Self.maxSocketPathBytes).contains(byteCount) else {
            throw Failure(
                .badSocketPath,
                "the socket's path has \(byteCount) bytes, the limit is \(Self.maxSocketPathBytes): \(socketPath)",
                hint: "choose a Storage folder with a shorter path")
        }
    }

    /// Lets the service's group use the socket, which is there by now.
    func openSocketToGroup() { chmod(socketPath, 0o660) }

    /// Deletes the socket's file.
    func removeSocket() {
        if kindAtSocketPath == .typeSocket { unlink(socketPath) }
    }

    /// The kind of what lies at the socket's path; nil when there is nothing. A symbolic link is not followed.
    private var kindAtSocketPath: FileAttributeType? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: socketPath)
        return attributes?[.type] as? FileAttributeType
    }

    /// Why the server cannot listen, when the system refused it.
    func explained(_ error: IOError) -> Failure {
        switch (error.errnoCode, tcp) {
        case (EADDRINUSE, let tcp?):
            Failure(
                .addressInUse, "port \(tcp.port) of \(tcp.host) is in use by another program",
                hint: "stop that program, or listen on another port")
        case (EACCES, let tcp?) where tcp.port < 1024:
            Failure(.cannotListen, "port \(tcp.port) is for privileged programs", hint: "listen on 1024 or above")
        default:
            Failure(
                .cannotListen, "cannot listen on \(socketPath): \(error)",
                hint: "the folder has to exist and belong to the service's user")
        }
    }
}
