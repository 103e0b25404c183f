package import API

/// An address of this machine that no other can reach: where the TCP listener may listen.
package struct LoopbackAddress: Sendable, Hashable, CustomStringConvertible {
    /// `127.x.y.z` or `::1`.
    package let host: String
    /// 0 lets the system choose.
    package let port: Int

    /// Reads `host:port`, where the host is `localhost`, an address of 127.0.0.0/8, or `[::1]`.
    ///
    /// - Throws: `Failure` with the code `bad_address`.
    package init(_ text: String) throws(Failure) {
        let (host, port) = Self.split(text)
        guard let port, let number = UInt16(port) else {
            throw Failure(
                .badAddress, "\"\(text.prefix(80))\" is not HOST:PORT", hint: "for instance 127.0.0.1:8080")
        }
        guard Self.isLoopback(host) else {
            throw Failure(
                .badAddress, "\(text.prefix(80)) can be reached from other machines",
                hint: "listen on 127.0.0.1:\(number) and let a proxy with TLS and passwords face the network")
        }
        self.host = host == "localhost" ? "127.0.0.1" : host
        self.port = Int(number)
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Splits `host:port`, `[host]:port` or a host alone; the brackets go.
    static func split(_ authority: String) -> (host: String, port: String?) {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            let rest = authority[authority.index(after: end)...]
            let host = String(authority[authority.index(after: authority.startIndex)..<end])
            return (host, rest.hasPrefix(":") ? String(rest.dropFirst()) : nil)
        }
        guard let colon = authority.lastIndex(of: ":") else { return (authority, nil) }
        return (String(authority[..<colon]), String(authority[authority.index(after: colon)...]))
    }

    /// Whether the name can only mean this machine, whatever a name server says.
    static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8($0) != nil }
    }
}
