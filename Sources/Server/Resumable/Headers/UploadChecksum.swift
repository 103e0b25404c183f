import Foundation

/// The field `Upload-Checksum` of tus 1.0.0: the name of an algorithm, a space, and the digest of the request's body in Base64.
struct UploadChecksum: Equatable {
    /// The name of the algorithm as it was sent, in lower case.
    let algorithm: String
    let digest: [UInt8]

    /// Reads a field; nil when it is none.
    init?(_ field: String) {
        let words = field.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, !words[0].isEmpty, words[0].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            let digest = Data(base64Encoded: String(words[1])), (1...64).contains(digest.count)
        else { return nil }
        algorithm = words[0].lowercased()
        self.digest = Array(digest)
    }
}
