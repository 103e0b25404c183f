import Glibc

/// An IP address, version 4 or 6.
package struct IPAddress: Hashable, CustomStringConvertible {
    /// Four or sixteen bytes; an IPv4 address that is written as an IPv6 address has four.
    package let bytes: [UInt8]

    /// Parses an address without a port and without a zone (inet_pton(3)); nil if the text is not an address.
    package init?(_ text: String) {
        if let bytes = Self.bytes(of: text, family: AF_INET, count: 4) {
            self.init(bytes)
        } else if let bytes = Self.bytes(of: text, family: AF_INET6, count: 16) {
            self.init(bytes)
        } else {
            return nil
        }
    }

    /// - Parameter bytes: Four or sixteen bytes in the order of the network.
    init(_ bytes: [UInt8]) {
        let isMapped =
            bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        self.bytes = isMapped ? Array(bytes[12...]) : bytes
    }

    private static func bytes(of text: String, family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    /// The shortest text of the address (RFC 5952).
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isText = inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil
        return isText ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    }
}

/// A network: the addresses that begin with the same bits (CIDR, RFC 4632).
struct IPNetwork: Hashable, Sendable {
    private let bytes: [UInt8]
    /// The number of leading bits that all addresses of the network share.
    let bitCount: Int

    /// Parses `10.0.0.0/8`, or a single address; nil if the text is neither.
    init?(parsing text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let address = IPAddress(String(parts[0])) else { return nil }
        bytes = address.bytes
        guard parts.count == 2 else {
            bitCount = 8 * bytes.count
            return
        }
        guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bitCount = Int(parts[1]),
            (0...8 * bytes.count).contains(bitCount)
        else { return nil }
        self.bitCount = bitCount
    }

    /// The prefix length of the largest private networks: 10.0.0.0/8 (RFC 1918) and fc00::/7 (RFC 4193).
    var smallestPrefix: Int { bytes.count == 4 ? 8 : 7 }

    /// Whether an address belongs to the network.
    func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == bytes.count else { return false }
        return zip(bytes, address.bytes).enumerated().allSatisfy { index, pair in
            let bits = min(8, max(0, bitCount - 8 * index))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            return pair.0 & mask == pair.1 & mask
        }
    }
}
