import Glibc
import NIOCore

/// The two ends of a TCP connection, as the kernel lists them.
struct ConnectionEnds: Sendable {
    /// An address and a port.
    private typealias End = (address: IPAddress, port: Int)

    /// The kernel's tables of the connections of this network, for IPv4 and IPv6. They belong to the process: a unit whose
    /// view of /proc is limited to processes (ProcSubset=pid) can read them.
    private static let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"]
    /// The state of a connection that no side has closed (`TCP_ESTABLISHED`).
    private static let established = "01"

    private let here: SocketAddress
    private let there: SocketAddress

    init(here: SocketAddress, there: SocketAddress) { (self.here, self.there) = (here, there) }

    /// - Returns: Nil for a channel that is not connected.
    init?(of channel: any Channel) {
        guard let here = channel.localAddress, let there = channel.remoteAddress else { return nil }
        self.init(here: here, there: there)
    }

    /// The number of the system's user who opened the connection; nil unless a program on this machine still holds the
    /// other end. Reads the kernel's tables, which blocks for the longer, the more connections the machine has.
    var peerUser: UInt32? {
        guard let here = Self.end(here), let there = Self.end(there) else { return nil }
        for table in Self.tables {
            for row in Self.text(of: table).split(separator: "\n").dropFirst() {
                let fields = row.split(separator: " ", omittingEmptySubsequences: true)
                // The other end of the connection has its own row, in which its own address comes first.
                guard fields.count > 7, fields[3] == Self.established, let first = Self.end(fields[1]), first == there,
                    let second = Self.end(fields[2]), second == here
                else { continue }
                return UInt32(fields[7])
            }
        }
        return nil
    }

    /// Returns a table; what cannot be read is left out. The kernel passes it on in pieces, and reports no size.
    private static func text(of table: String) -> String {
        let file = open(table, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = read(file, &piece, piece.count), count > 0 { bytes += piece[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func end(_ address: SocketAddress) -> End? {
        guard let ip = address.ipAddress.flatMap(IPAddress.init), let port = address.port else { return nil }
        return (ip, port)
    }

    /// Parses an end such as `0100007F:1F90`: words of 32 bits in the order of this machine, and the port.
    private static func end(_ text: Substring) -> End? {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let port = Int(parts[1], radix: 16), [8, 32].contains(parts[0].utf8.count) else {
            return nil
        }
        var bytes: [UInt8] = []
        var rest = parts[0]
        while !rest.isEmpty {
            guard let word = UInt32(rest.prefix(8), radix: 16) else { return nil }
            bytes += withUnsafeBytes(of: word, Array.init)
            rest = rest.dropFirst(8)
        }
        return (IPAddress(bytes), port)
    }
}
