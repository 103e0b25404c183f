/// How much one client over TCP may ask for; whoever is at the Unix socket, an admin, and a program on this machine that
/// no proxy speaks for, may ask for anything.
package struct ClientLimits: Sendable, Hashable {
    /// Requests per second, over some time; the rows that may be read go by them. Nil for any number.
    package var requestsPerSecond: Int? = 100
    /// Bytes of request bodies per second, over some time; nil for any number.
    package var bytesPerSecond: Int? = 32 << 20
    /// Streams of events at a time; nil for any number.
    package var streams: Int? = 100
    /// Uploads at a time; nil for any number.
    package var uploads: Int? = 16
    /// Connections at a time, for an address, whoever uses them; nil for any number.
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

/// What a limit counts as one: the user of a request whose sender is known, else the address that it comes from.
package enum LimitedClient: Hashable, Sendable {
    case user(String)
    /// The bytes of the address; of version 6 those of its network of 64 bits, as that is what one household has.
    case address([UInt8])

    /// A name that no other client has.
    var name: String {
        switch self {
        case .user(let uid): "user \(uid)"
        case .address(let bytes): "address \(bytes.map { String($0) }.joined(separator: "."))"
        }
    }

    /// The client at an address.
    package init(address: String) { self = .address(Self.network(of: address)) }

    /// The bytes of an address by which those who come from there are counted as one.
    package static func network(of address: String) -> [UInt8] {
        let bytes = IPAddress(address)?.bytes ?? []
        return bytes.count == 16 ? Array(bytes[..<8]) : bytes
    }
}
