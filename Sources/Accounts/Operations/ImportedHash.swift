import Access
import Cryptography
import TreeModel

/// The hash of a password in an import: by scrypt (RFC 7914), or by Firebase's variant of it, which Firebase's export
/// of accounts contains. Other kinds are refused.
struct ImportedHash: Sendable {
    /// The hash in the stored form.
    let hash: Secret

    /// - Parameters:
    ///   - text: The hash in Base64, in either alphabet.
    ///   - user: The account in the request, which contains the salt.
    ///   - request: The request, which contains the parameters of the hashes.
    /// - Throws: `INVALID_HASH_ALGORITHM`, or `INVALID_ARGUMENT` for a hash that does not fit the parameters.
    init(_ text: String, of user: IdentityRequest, in request: IdentityRequest) throws(IdentityError) {
        let values = "\(Self.withoutPadding(try user.string("salt") ?? ""))$\(Self.withoutPadding(text))"
        let kept: String
        switch try request.string("hashAlgorithm") {
        case "STANDARD_SCRYPT": kept = "$scrypt$\(try Self.cost(in: request))$\(values)"
        case "SCRYPT":
            let separator = Self.withoutPadding(try request.string("saltSeparator") ?? "")
            let key = Self.withoutPadding(try request.string("signerKey") ?? "")
            kept = "$firescrypt$\(try Self.firebaseCost(in: request))$\(values)$\(separator)$\(key)"
        default:
            throw IdentityError("INVALID_HASH_ALGORITHM : Only hashes by SCRYPT or STANDARD_SCRYPT can be taken over")
        }
        guard let hash = PasswordHash(text: kept) else { throw .invalidValue("passwordHash, or its salt, key or cost") }
        self.hash = Secret(hash.text)
    }

    private static func cost(in request: IdentityRequest) throws(IdentityError) -> String {
        let n = try request.integer("cpuMemCost") ?? 0
        let (r, p) = (try request.integer("blockSize") ?? 0, try request.integer("parallelization") ?? 0)
        guard n > 0, n.nonzeroBitCount == 1 else { throw .invalidValue("cpuMemCost") }
        return "ln=\(n.trailingZeroBitCount),r=\(r),p=\(p)"
    }

    /// Returns the cost in Firebase's terms, which differ: the rounds are the block size.
    private static func firebaseCost(in request: IdentityRequest) throws(IdentityError) -> String {
        "ln=\(try request.integer("memoryCost") ?? 0),r=\(try request.integer("rounds") ?? 0),p=1"
    }

    /// Returns the text in the URL-safe Base64 alphabet, without padding.
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
