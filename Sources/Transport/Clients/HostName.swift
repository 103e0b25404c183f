/// Facts that follow from a host's name or address alone.
package enum HostName {
    /// Splits `host:port`, `[host]:port` or a host alone; the brackets are removed.
    package static func split(_ authority: String) -> (host: String, port: String?) {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            let rest = authority[authority.index(after: end)...]
            let host = String(authority[authority.index(after: authority.startIndex)..<end])
            return (host, rest.hasPrefix(":") ? String(rest.dropFirst()) : nil)
        }
        guard let colon = authority.lastIndex(of: ":") else { return (authority, nil) }
        return (String(authority[..<colon]), String(authority[authority.index(after: colon)...]))
    }

    /// Whether the name always means this machine, regardless of name servers.
    package static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8($0) != nil }
    }
}
