/// The limit on the path of a Unix socket, for the service and for those who connect to it.
package enum SocketPath {
    /// The largest number of bytes: SwiftNIO's (`SocketAddress`), which holds on all systems. Linux has 107 (`sockaddr_un`).
    package static let maxByteCount = 103

    /// Checks a path.
    ///
    /// - Throws: `Failure` with the code `bad_socket_path` for an empty path, and for one that is too long.
    package static func check(_ path: String) throws(Failure) {
        guard !(1...maxByteCount).contains(path.utf8.count) else { return }
        throw Failure(
            .badSocketPath,
            "the path of the service's socket has \(path.utf8.count) bytes; the limit is \(maxByteCount): \(path)",
            hint: "Choose a storage folder with a shorter path (--storage, or the setting storage).")
    }
}
