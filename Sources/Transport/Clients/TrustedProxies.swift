package import HTTPTypes
import NIOCore

/// The proxies in front of the service whose reports about clients are trusted.
package struct TrustedProxies: Sendable, Hashable {
    /// The means by which a proxy reports the client.
    package enum Announcement: Sendable, Hashable {
        /// A field of each request: in the form of RFC 7239 if it is `Forwarded`, otherwise a list of addresses like
        /// that of `X-Forwarded-For`. Other fields are ignored, because a proxy passes on fields that it does not
        /// write.
        case field(HTTPField.Name)
        /// A PROXY header at the beginning of each connection.
        case header

        package static let xForwardedFor = Announcement.field(.xForwardedFor)

        /// A field of that name; nil if the name cannot be that of such a field.
        package init?(field name: String) {
            guard let name = HTTPField.Name(name) else { return nil }
            self = .field(name)
        }
    }

    /// The field in which proxies that do not write `Forwarded` report the scheme of a request.
    private static let schemeField: HTTPField.Name = HTTPField.Name(parsed: "x-forwarded-proto")

    /// The largest number of addresses of a field that are examined.
    private static let maxHops = 32

    private let networks: [IPNetwork]
    package var announcement = Announcement.xForwardedFor

    /// Parses addresses and networks such as `127.0.0.1 10.0.0.0/8`; nil if the text is malformed, or if a network is
    /// so large that it contains strangers.
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

    /// Whether an IP address belongs to a trusted proxy.
    func contains(_ address: String) -> Bool {
        guard let address = IPAddress(address) else { return false }
        return networks.contains { $0.contains(address) }
    }

    /// Returns the client of a request that a trusted proxy sends: the last address in its field that does not belong
    /// to a trusted proxy. Any client could have written the addresses before it. Nil if the proxy does not report the
    /// client.
    func client(of fields: HTTPFields) -> String? {
        guard case .field(let name) = announcement else { return nil }
        for hop in Self.hops(fields, in: name).reversed().prefix(Self.maxHops) {
            guard let address = IPAddress(hop) else { return nil }
            guard networks.contains(where: { $0.contains(address) }) else { return address.description }
        }
        return nil
    }

    /// Whether the client of a request uses TLS, as the nearest proxy reports in `Forwarded` or `X-Forwarded-Proto`: the
    /// client itself could have written what is before it. A PROXY header does not say it.
    func isEncrypted(_ fields: HTTPFields) -> Bool {
        guard case .field(let name) = announcement else { return false }
        guard name == .forwarded else {
            return fields[values: Self.schemeField].flatMap { $0.split(separator: ",") }.last?.trimmed.lowercased()
                == "https"
        }
        return Self.parameter("proto", of: fields[values: name].flatMap { $0.split(separator: ",") }.last)?.lowercased()
            == "https"
    }

    /// Returns a parameter of an element of `Forwarded` (RFC 7239 §4), without quotation marks; nil if it is missing.
    private static func parameter(_ name: String, of element: Substring?) -> String? {
        let pairs = element?.split(separator: ";").map { $0.trimmed.split(separator: "=", maxSplits: 1) }
        let pair = pairs?.first { $0.count == 2 && $0[0].lowercased() == name }
        return pair.map { String($0[1].trimmed).filter { $0 != "\"" } }
    }

    /// Returns the addresses through which a request claims to have passed, the client's first.
    private static func hops(_ fields: HTTPFields, in name: HTTPField.Name) -> [String] {
        fields[values: name].flatMap { $0.split(separator: ",") }.map { element in
            guard name == .forwarded else { return host(String(element.trimmed)) }
            return parameter("for", of: element).map { host($0) } ?? ""
        }
    }

    /// Extracts the address from `192.0.2.7`, `192.0.2.7:4711`, `"[2001:db8::7]:4711"` or `2001:db8::7`.
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
