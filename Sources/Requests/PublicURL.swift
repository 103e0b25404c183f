import Foundation

/// The address by which a proxy makes the service public: a scheme, a host, optionally a port, and nothing else.
package struct PublicURL: Sendable, Hashable {
    /// The host's name in lower case, such as `photos.example.org`.
    package let host: String
    /// The origin of the service's own page (RFC 6454), such as `https://photos.example.org`.
    package let origin: String

    /// Parses `https://HOST` or `http://HOST`, with a port where it is not the scheme's own; nil for anything else.
    package init?(_ text: String) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            let host = parts.host?.lowercased(), !host.isEmpty, ["", "/"].contains(parts.path),
            parts.query == nil, parts.fragment == nil, parts.user == nil, parts.password == nil
        else { return nil }
        let defaultPort: Int
        switch scheme {
        case "https": defaultPort = 443
        case "http": defaultPort = 80
        default: return nil
        }
        self.host = host
        let port = parts.port ?? defaultPort
        guard UInt16(exactly: port) != nil else { return nil }
        origin = "\(scheme)://\(host)" + (port == defaultPort ? "" : ":\(port)")
    }
}
