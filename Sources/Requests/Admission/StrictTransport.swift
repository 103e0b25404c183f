import HTTPTypes
import Transport

/// The wish that browsers use a host over TLS alone from then on (HTTP Strict Transport Security, RFC 6797).
enum StrictTransport {
    /// A year, for this host alone: hosts below it may be other services.
    static let value = "max-age=31536000"

    /// Whether a response contains it: to a request over TLS that names the host. It holds for all ports of a host, so that
    /// only the service of the usual port decides; names of this machine and addresses mean another service tomorrow.
    static func applies(to request: HTTPRequest, from client: ClientConnection) -> Bool {
        guard client.isEncrypted(sending: request), let authority = request.authority else { return false }
        let (name, port) = HostName.split(authority)
        guard port == nil || port == "443" else { return false }
        let host = name.lowercased()
        return !host.isEmpty && !HostName.isLoopback(host) && !host.hasSuffix(".localhost") && IPAddress(host) == nil
    }
}
