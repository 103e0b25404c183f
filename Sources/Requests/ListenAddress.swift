package import API
import Transport

/// An address of this machine for the TCP listener.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// An IP address, such as `127.0.0.1` or `::`.
    package let host: String
    /// The port; 0 lets the system choose.
    package let port: Int

    /// Parses `host:port`, where the host is `localhost`, an IP address (IPv6 in brackets), or `*` for all addresses of
    /// this machine.
    ///
    /// - Throws: `Failure` with the code `bad_address`.
    package init(_ text: String) throws(Failure) {
        let (host, port) = HostName.split(text)
        guard let port, let number = UInt16(port) else {
            throw Failure(.badAddress, "\"\(text.prefix(80))\" is not HOST:PORT", hint: "Write it as 127.0.0.1:8080.")
        }
        switch host {
        case "localhost": self.host = "127.0.0.1"
        case "*": self.host = "::"
        default:
            guard IPAddress(host) != nil else {
                throw Failure(
                    .badAddress, "\(host.prefix(80)) is not an address of this machine",
                    hint: "Write it as 127.0.0.1:8080, or as *:443 for all addresses.")
            }
            self.host = host
        }
        self.port = Int(number)
    }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool { HostName.isLoopback(host) }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
