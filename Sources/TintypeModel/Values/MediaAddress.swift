#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The address of a picture: a path of the service, or an absolute address, which may be that of another host, because
/// clients of the database write addresses, too.
public struct MediaAddress: RawRepresentable, Codable, Hashable, Sendable, ExpressibleByStringInterpolation {
    /// The address as the service writes it.
    public let rawValue: String

    /// Creates an address from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an address from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Creates an address from a literal.
    public init(stringLiteral value: String) { self.init(value) }

    /// Returns the absolute address; nil for one that is not for `http` or `https`, or that has no host.
    ///
    /// - Parameter service: The address of the service.
    public func url(relativeTo service: URL) -> URL? {
        guard let url = URL(string: rawValue, relativeTo: service)?.absoluteURL,
            ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false
        else { return nil }
        return url
    }

    /// Whether the picture is at the service itself. Only then may a request for it have the user's token.
    ///
    /// - Parameter service: The address of the service.
    public func isServed(by service: URL) -> Bool {
        guard let url = url(relativeTo: service) else { return false }
        return url.scheme?.lowercased() == service.scheme?.lowercased()
            && url.host?.lowercased() == service.host?.lowercased() && Self.port(of: url) == Self.port(of: service)
    }

    private static func port(of url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "http" ? 80 : 443) }
}
