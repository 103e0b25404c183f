package import API
import Glibc
package import NIOCore

/// The listening sockets that the manager opened for this process and passed to it (sd_listen_fds(3)): one for TCP and
/// one Unix socket at most.
package struct PassedSockets: Sendable {
    /// A listening socket.
    package struct Socket: Sendable, Equatable {
        package let descriptor: Int32
        package let address: SocketAddress

        /// The address in the form of the setting `listen`; nil for a Unix socket.
        package var listenText: String? {
            guard let host = address.ipAddress, let port = address.port else { return nil }
            return address.protocol == .inet6 ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    package var tcp: Socket?
    /// It takes the place of the socket in the Storage folder.
    package var unix: Socket?

    package init(tcp: Socket? = nil, unix: Socket? = nil) {
        self.tcp = tcp
        self.unix = unix
    }

    /// Takes the sockets over that the environment describes. No program that this process starts inherits them.
    ///
    /// - Parameters:
    ///   - environment: `LISTEN_PID`, the process that the sockets are for; `LISTEN_FDS`, their number; `LISTEN_FDNAMES`, their
    ///     names with colons between them, for messages.
    ///   - first: The descriptor of the first of them.
    /// - Throws: `Failure` with the code `cannot_listen` if a descriptor is not a listening socket, or is one too many.
    package init(environment: [String: String], processID: Int32 = getpid(), first: Int32 = 3) throws(Failure) {
        self.init()
        guard environment["LISTEN_PID"] == "\(processID)" else { return }
        let text = environment["LISTEN_FDS"] ?? ""
        guard let count = Int32(text), (0...Self.most).contains(count) else {
            throw Self.refused(
                "LISTEN_FDS is \"\(text.prefix(20))\", which is not a number of sockets up to \(Self.most)")
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        for index in 0..<count {
            let descriptor = first + index
            let name = Int(index) < names.count ? " (\(names[Int(index)].prefix(80)))" : ""
            try add(descriptor, named: "descriptor \(descriptor)\(name)")
        }
    }

    /// The number above which nobody meant it.
    private static let most: Int32 = 16

    private mutating func add(_ descriptor: Int32, named name: String) throws(Failure) {
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw Self.refused("\(name) is not open") }
        guard Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
            Self.option(SO_ACCEPTCONN, of: descriptor) == 1
        else { throw Self.refused("\(name) is not a listening stream socket") }
        guard let address = Self.address(of: descriptor) else {
            throw Self.refused("\(name) is neither a TCP socket nor a Unix socket with a path")
        }
        let socket = Socket(descriptor: descriptor, address: address)
        if address.protocol == .unix {
            guard unix == nil else { throw Self.refused("\(name) is a second Unix socket") }
            unix = socket
        } else {
            guard tcp == nil else { throw Self.refused("\(name) is a second TCP socket") }
            tcp = socket
        }
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var (value, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }

    private static func address(of descriptor: Int32) -> SocketAddress? {
        var (storage, length) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
        let result = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        return withUnsafePointer(to: storage) { storage in
            switch Int32(storage.pointee.ss_family) {
            case AF_INET:
                storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee) }
            case AF_INET6:
                storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee) }
            case AF_UNIX:
                storage.withMemoryRebound(to: sockaddr_un.self, capacity: 1) { unixAddress($0.pointee) }
            default: nil
            }
        }
    }

    /// Returns the address of a socket that has a path.
    private static func unixAddress(_ address: sockaddr_un) -> SocketAddress? {
        let path = withUnsafeBytes(of: address.sun_path) { $0.prefix { $0 != 0 } }
        return path.isEmpty ? nil : SocketAddress(address)
    }

    private static func refused(_ message: String) -> Failure {
        Failure(
            .cannotListen, "the sockets of the service manager cannot be used: \(message)",
            hint: "Name one port, and at most one path, as ListenStream in the socket unit.")
    }
}
