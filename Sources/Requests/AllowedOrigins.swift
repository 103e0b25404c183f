import Transport

/// The origins (RFC 6454) of the web pages that may use the service, in addition to its own.
package enum AllowedOrigins: Sendable, Hashable {
    /// The pages of every site.
    case any
    /// The pages that this machine serves, at any port, and those of these origins.
    case ownMachine(adding: Set<String>)
    /// The pages of these origins, such as `https://photos.example`, in lower case.
    case these(Set<String>)

    /// Parses origins such as `https://photos.example http://localhost:3000`, or `*` for all; nil if the text is
    /// malformed.
    package init?(parsing text: String) {
        let words = text.lowercased().split { $0 == " " || $0 == "," }.map(String.init)
        if words == ["*"] {
            self = .any
        } else if words.allSatisfy(Self.isOrigin) {
            self = .these(Set(words))
        } else {
            return nil
        }
    }

    /// Whether the text is a scheme, a host and optionally a port, as browsers write them (RFC 6454 §6.2).
    private static func isOrigin(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty else { return false }
        let (host, port) = HostName.split(String(parts[2]))
        let isHost = !host.isEmpty && host.utf8.allSatisfy { !"@?#*".utf8.contains($0) && (0x21...0x7E).contains($0) }
        return isHost && (port.map { UInt16($0) != nil } ?? true)
    }

    private static func isOfOwnMachine(_ origin: String) -> Bool {
        let parts = origin.split(separator: "/", omittingEmptySubsequences: false)
        return isOrigin(origin) && HostName.isLoopback(HostName.split(String(parts[2])).host)
    }

    /// The same origins, and those of all pages that this machine serves.
    package var addingOwnMachine: AllowedOrigins {
        switch self {
        case .any, .ownMachine: self
        case .these(let origins): .ownMachine(adding: origins)
        }
    }

    /// Returns the value of `Access-Control-Allow-Origin` (Fetch §3.2.3) for a page of an origin; nil if it may not
    /// read.
    package func allowing(_ origin: String?) -> String? {
        guard self != .any else { return "*" }
        return origin.flatMap { contains($0.lowercased()) ? $0 : nil }
    }

    /// Returns these origins and another one, in lower case.
    package func adding(_ origin: String) -> AllowedOrigins {
        switch self {
        case .any: .any
        case .ownMachine(let origins): .ownMachine(adding: origins.union([origin]))
        case .these(let origins): .these(origins.union([origin]))
        }
    }

    /// Whether pages of an origin are allowed.
    package func contains(_ origin: String) -> Bool {
        switch self {
        case .any: true
        case .ownMachine(let origins): origins.contains(origin) || Self.isOfOwnMachine(origin)
        case .these(let origins): origins.contains(origin)
        }
    }
}
