/// The web pages that may use the service beside its own, by their origins (RFC 6454).
package enum AllowedOrigins: Sendable, Hashable {
    /// Pages of every site.
    case any
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

    /// These origins and one more, in lower case.
    func adding(_ origin: String) -> AllowedOrigins {
        switch self {
        case .any: .any
        case .these(let origins): .these(origins.union([origin]))
        }
    }

    /// Whether pages of an origin may.
    func contains(_ origin: String) -> Bool {
        switch self {
        case .any: true
        case .these(let origins): origins.contains(origin)
        }
    }
}
