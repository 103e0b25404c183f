package import HTTPTypes
import NIOCore

/// The proxies in front of the service that are believed when they say who the client is.
package struct TrustedProxies: Sendable, Hashable {
    /// How a proxy says who the client is.
    package enum Announcement: Sendable, Hashable {
        /// In this field of each request: in the form of RFC 7239 where it is `Forwarded`, else as a list of addresses such as
        /// that of `X-Forwarded-For`. No other field is looked at: a proxy passes on what it does not write.
        case field(HTTPField.Name)
        /// In a PROXY header at the beginning of each connection.
        case header

        package static let xForwardedFor = Announcement.field(.xForwardedFor)

        /// In the field of that name; nil for what can be none.
        package init?(field name: String) {
            guard let name = HTTPField.Name(name) else { return nil }
            self = .field(name)
        }
    }

    /// The most addresses of a field that are looked at.
    private static let maxHops = 32

    private let networks: [IPNetwork]
    package var announcement = Announcement.xForwardedFor

    /// Reads addresses and networks such as `127.0.0.1 10.0.0.0/8`; nil for what is none, and for a network so large that
    /// strangers are in it.
    package init?(parsing text: String) {
        var networks: [IPNetwork] = []
        for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
            guard let network = IPNetwork(parsing: String(word)), network.bitCount >= network.smallestPrefix else {
                return nil
            }
            networks.append(network)
        }
        guard !networks.isEmpty else { return nil }
        self.networks = networks
    }

    /// Whether an IP address is that of such a proxy.
    func contains(_ address: String) -> Bool {
        guard let address = IPAddress(address) else { return false }
        return networks.contains { $0.contains(address) }
    }

    /// The client of a request that a trusted proxy sends: the last address in its field that is not a trusted proxy's
    /// own. What stands before it, anybody may have written. Nil where the proxy does not say.
    func client(of fields: HTTPFields) -> String? {
        guard case .field(let name) = announcement else { return nil }
        for hop in Self.hops(fields, in: name).reversed().prefix(Self.maxHops) {
            guard let address = IPAddress(hop) else { return nil }
            guard networks.contains(where: { $0.contains(address) }) else { return address.description }
        }
        return nil
    }

    /// The addresses through which a request says that it came, the client's first.
    private static func hops(_ fields: HTTPFields, in name: HTTPField.Name) -> [String] {
        fields[values: name].flatMap { $0.split(separator: ",") }.map { element in
            guard name == .forwarded else { return host(String(element.trimmed)) }
            let pair = element.split(separator: ";").map { $0.trimmed.split(separator: "=", maxSplits: 1) }
                .first { $0.count == 2 && $0[0].lowercased() == "for" }
            return pair.map { host(String($0[1].trimmed)) } ?? ""
        }
    }

    /// The address in `192.0.2.7`, `192.0.2.7:4711`, `"[2001:db8::7]:4711"` or `2001:db8::7`.
    private static func host(_ text: String) -> String {
        let bare = text.filter { $0 != "\"" }
        return IPAddress(bare) == nil ? HostName.split(bare).host : bare
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}

extension HTTPField.Name {
    static var forwarded: HTTPField.Name { HTTPField.Name(parsed: "forwarded") }
    static var xForwardedFor: HTTPField.Name { HTTPField.Name(parsed: "x-forwarded-for") }
}
