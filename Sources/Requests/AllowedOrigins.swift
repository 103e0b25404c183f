import Transport

/// The web pages that may use the service beside its own, by their origins (RFC 6454).
package enum AllowedOrigins: Sendable, Hashable {
    /// Pages of every site.
    case any
    /// Pages that this machine serves, at whatever port, and those of these origins.
    case ownMachine(adding: Set<String>)
    /// Pages of these origins, such as `https://photos.example`, in lower case.
    case these(Set<String>)

    /// Reads origins such as `https://photos.example http://localhost:3000`, or `*` for all; nil for what is none.
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

    /// Whether it is a scheme, a host and perhaps a port, as browsers write them (RFC 6454 §6.2).
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

    /// These origins, with those of all pages that this machine serves.
    package var addingOwnMachine: AllowedOrigins {
        switch self {
        case .any, .ownMachine: self
        case .these(let origins): .ownMachine(adding: origins)
        }
    }

    /// The value of `Access-Control-Allow-Origin` (Fetch §3.2.3) in an answer to a page of an origin; nil where it may not read.
    package func allowing(_ origin: String?) -> String? {
        guard self != .any else { return "*" }
        return origin.flatMap { contains($0.lowercased()) ? $0 : nil }
    }

    /// These origins and one more, in lower case.
    package func adding(_ origin: String) -> AllowedOrigins {
        switch self {
        case .any: .any
        case .ownMachine(let origins): .ownMachine(adding: origins.union([origin]))
        case .these(let origins): .these(origins.union([origin]))
        }
    }

    /// Whether pages of an origin may.
    package func contains(_ origin: String) -> Bool {
        switch self {
        case .any: true
        case .ownMachine(let origins): origins.contains(origin) || Self.isOfOwnMachine(origin)
        case .these(let origins): origins.contains(origin)
        }
    }
}
