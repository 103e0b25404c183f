import Foundation
import NIOHTTP1

/// The machine and the resource that an address with the scheme `http` or `https` names.
struct OutgoingTarget: Sendable {
    /// The reason why an address names none.
    struct Invalid: Error, CustomStringConvertible {
        let description = "it is not an address with http:// or https://"
    }

    /// The host's name or its IP address, without brackets.
    let host: String
    let port: Int
    let isSecure: Bool
    /// The value of the field `Host` (RFC 9110 §7.2).
    private let authority: String
    /// The path and the query (RFC 9112 §3.2.1).
    private let resource: String

    /// - Throws: ``Invalid``.
    init(_ url: String) throws {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            scheme == "http" || scheme == "https", let name = parts.encodedHost, !name.isEmpty
        else { throw Invalid() }
        isSecure = scheme == "https"
        port = parts.port ?? (isSecure ? 443 : 80)
        guard (1...65535).contains(port) else { throw Invalid() }
        host = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
        authority = parts.port.map { "\(name):\($0)" } ?? name
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        resource = parts.percentEncodedQuery.map { "\(path)?\($0)" } ?? path
    }

    /// Returns the head of a request that ends its connection.
    func head(_ method: HTTPMethod, headers: [(String, String)], bodyBytes: Int) -> HTTPRequestHead {
        var all: HTTPHeaders = ["Host": authority, "User-Agent": "tintype", "Connection": "close"]
        if method == .POST { all.add(name: "Content-Length", value: "\(bodyBytes)") }
        all.add(contentsOf: headers)
        return HTTPRequestHead(version: .http1_1, method: method, uri: resource, headers: all)
    }
}
