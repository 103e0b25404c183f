import API
import Foundation
import Glibc
import NIOCore
import NIOPosix
import Requests

/// The addresses at which the server listens: a Unix socket and, if configured, a loopback port.
///
/// The socket has mode 0660 from the start and is deleted with the service. Storage is locked before a server exists;
/// an existing socket file was therefore left by a dead process, and is replaced.
struct ListenAddresses: Sendable {
    let socketPath: String
    let tcp: ListenAddress?
    /// The sockets that listen already, and that others create and delete.
    var passed = PassedSockets()

    /// Checks that the server can listen at the port and use the socket's path, without doing either.
    ///
    /// - Throws: `Failure` that names the address.
    func check() async throws {
        try checkSocketPath()
        guard let tcp, tcp.port > 0, passed.tcp == nil else { return }
        do {
            // No connection is accepted: clients that connect meanwhile are disconnected with the probe. The probe ends
            // on its event loop, on which it began, so that a busy process does not prolong it.
            let probe = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.autoRead, value: false)
            try await probe.bind(host: tcp.host, port: tcp.port).flatMap { $0.close() }.get()
        } catch let error as IOError {
            throw explained(error)
        }
    }

    /// Checks that the socket can be created, and restricts its mode before bind, so that it is never accessible to
    /// everybody.
    ///
    /// - Throws: `Failure` if another file is at its path, or the path is too long.
    func prepareSocket() throws(Failure) {
        try checkSocketPath()
        umask(umask(0o007) | 0o007)
    }

    private func checkSocketPath() throws(Failure) {
        guard passed.unix == nil else { return }
        if let kind = kindAtSocketPath, kind != .typeSocket {
            throw Failure(
                .badSocketPath, "\(socketPath) exists already and is not a socket",
                hint: "Move it away, or choose another storage folder.")
        }
        try SocketPath.check(socketPath)
    }

    /// Allows the service's group to use the existing socket.
    func openSocketToGroup() { chmod(socketPath, 0o660) }

    /// Deletes the socket's file.
    func removeSocket() {
        if passed.unix == nil, kindAtSocketPath == .typeSocket { unlink(socketPath) }
    }

    /// The kind of file at the socket's path; nil if there is none. A symbolic link is not followed.
    private var kindAtSocketPath: FileAttributeType? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: socketPath)
        return attributes?[.type] as? FileAttributeType
    }

    /// Returns the failure for an error of the system in listening.
    func explained(_ error: IOError) -> Failure {
        switch (error.errnoCode, tcp) {
        case (EADDRINUSE, let tcp?):
            Failure(
                .addressInUse, "port \(tcp.port) of \(tcp.host) is in use by another program",
                hint: "Stop that program, or listen on another port.")
        case (EACCES, let tcp?) where tcp.port < 1024:
            Failure(
                .cannotListen, "port \(tcp.port) is for privileged programs",
                hint: "Listen on 1024 or above, or give the service CAP_NET_BIND_SERVICE, as the package's unit does.")
        default:
            Failure(
                .cannotListen, "cannot listen on \(socketPath): \(error)",
                hint: "Check that the folder exists and belongs to the service's user.")
        }
    }
}
