import Access
import TreeModel

/// The hash of a password that an administrator brings along, by scrypt (RFC 7914); of other kinds, none is taken.
struct ImportedHash: Sendable {
    /// The hash as it is kept.
    let hash: Secret

    /// - Parameters:
    ///   - text: The hash in Base64, of either alphabet.
    ///   - user: The account's part of the request, which has the salt.
    ///   - request: The request, which says how the hashes were made.
    /// - Throws: `INVALID_HASH_ALGORITHM`, or `INVALID_ARGUMENT` for a hash that does not go with it.
    init(_ text: String, of user: IdentityRequest, in request: IdentityRequest) throws(IdentityError) {
        guard try request.string("hashAlgorithm") == "STANDARD_SCRYPT" else {
            throw IdentityError("INVALID_HASH_ALGORITHM : Only hashes by STANDARD_SCRYPT can be taken over")
        }
        let n = try request.integer("cpuMemCost") ?? 0
        let (r, p) = (try request.integer("blockSize") ?? 0, try request.integer("parallelization") ?? 0)
        guard n > 0, n.nonzeroBitCount == 1 else { throw .invalidValue("cpuMemCost") }
        let salt = Self.withoutPadding(try user.string("salt") ?? "")
        let kept = "$scrypt$ln=\(n.trailingZeroBitCount),r=\(r),p=\(p)$\(salt)$\(Self.withoutPadding(text))"
        guard let hash = PasswordHash(text: kept) else { throw .invalidValue("passwordHash, or its salt or cost") }
        self.hash = Secret(hash.text)
    }

    /// The same Base64 in the alphabet of addresses, without padding.
    private static func withoutPadding(_ text: String) -> String {
        String(
            decoding: text.utf8.compactMap { byte in
                switch byte {
                case UInt8(ascii: "="): nil
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }, as: UTF8.self)
    }
}
