/// The few forms of ASN.1's distinguished encoding rules (X.690) that keys and signatures need.
package enum DER {
    /// Encodes a sequence of encoded parts.
    package static func sequence(_ parts: [UInt8]...) -> [UInt8] { tagged(0x30, Array(parts.joined())) }

    /// Encodes whole bytes as a bit string.
    package static func bitString(_ bytes: [UInt8]) -> [UInt8] { tagged(0x03, [0] + bytes) }

    /// Encodes a non-negative integer, given in big-endian order.
    package static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        // A leading 1 bit would mean a negative number.
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return tagged(0x02, digits)
    }

    /// The algorithm identifier rsaEncryption (RFC 8017 appendix C) with its parameter, which is null.
    package static let rsaEncryption: [UInt8] = sequence(
        [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01], [0x05, 0x00])

    /// The algorithm identifier id-ecPublicKey with the curve P-256 (RFC 5480 §2.1.1).
    package static let p256: [UInt8] = sequence(
        [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01],
        [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])

    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: UInt32(clamping: content.count).bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
