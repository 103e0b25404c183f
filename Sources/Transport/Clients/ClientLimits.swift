/// The limits on one client over TCP. They do not apply to the Unix socket, to admins, or to programs on this machine
/// for which no proxy speaks.
package struct ClientLimits: Sendable, Hashable {
    /// Requests per second, averaged; the limit on rows follows from it. Nil for no limit.
    package var requestsPerSecond: Int? = 100
    /// Bytes of request bodies per second, averaged; nil for no limit.
    package var bytesPerSecond: Int? = 32 << 20
    /// Concurrent event streams; nil for no limit.
    package var streams: Int? = 100
    /// Concurrent uploads; nil for no limit.
    package var uploads: Int? = 16
    /// Concurrent connections of an address, regardless of user; nil for no limit.
    package var connections: Int? = 200

    package init() {}

    /// No limits.
    static var none: ClientLimits {
        var limits = ClientLimits()
        limits.requestsPerSecond = nil
        limits.bytesPerSecond = nil
        limits.streams = nil
        limits.uploads = nil
        limits.connections = nil
        return limits
    }
}

/// The unit that limits count: the user of an authenticated request, otherwise the address that the request comes from.
package enum LimitedClient: Hashable, Sendable {
    case user(String)
    /// The bytes of the address; for IPv6 only those of its 64-bit network, which is what one household has.
    case address([UInt8])

    /// A name that is unique to the client.
    var name: String {
        switch self {
        case .user(let uid): "user \(uid)"
        case .address(let bytes): "address \(bytes.map { String($0) }.joined(separator: "."))"
        }
    }

    /// Creates the client at an address.
    package init(address: String) { self = .address(Self.network(of: address)) }

    /// Returns an address as text, by which operations without a user are throttled; of IPv6 only the network of 64 bits.
    package static func networkText(of address: String) -> String {
        let bytes = network(of: address)
        return bytes.count == 8 ? bytes.map { String($0, radix: 16) }.joined(separator: ":") : address
    }

    /// Returns the bytes of an address that identify its network; clients with the same bytes count as one.
    package static func network(of address: String) -> [UInt8] {
        let bytes = IPAddress(address)?.bytes ?? []
        return bytes.count == 16 ? Array(bytes[..<8]) : bytes
    }
}
