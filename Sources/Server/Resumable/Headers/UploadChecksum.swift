import Cryptography
import Files
import Foundation

/// The field `Upload-Checksum` of tus 1.0.0: the name of an algorithm, a space, and the digest of the request's body in Base64.
struct UploadChecksum: Equatable {
    let algorithm: MessageDigest.Algorithm
    let digest: [UInt8]

    /// Parses a field; nil if it is malformed, or names an unknown algorithm.
    init?(_ field: String) {
        let words = field.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let algorithm = MessageDigest.Algorithm(rawValue: words[0].lowercased()),
            let digest = Data(base64Encoded: String(words[1])), (1...64).contains(digest.count)
        else { return nil }
        self.algorithm = algorithm
        self.digest = Array(digest)
    }
}
