import Foundation

@testable import Cryptography
@testable import Server

/// The header fields of resumable uploads under hostile bytes: parsed values are the same after they are written and parsed
/// again.
enum UploadFieldFuzzing {
    static func take(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let boolean = StructuredField.boolean(text), StructuredField.boolean(boolean ? "?1" : "?0") != boolean {
            fatalError("a Boolean is not read again")
        }
        if let integer = StructuredField.integer(text) {
            guard (0..<1_000_000_000_000_000).contains(integer), StructuredField.integer("\(integer)") == integer else {
                fatalError("\(integer) is not read again")
            }
        }
        if let metadata = UploadMetadata(text) {
            let pairs = metadata.texts.map { "\($0) \(Data($1.utf8).base64EncodedString())" }
            guard UploadMetadata(pairs.joined(separator: ","))?.texts == metadata.texts else {
                fatalError("\(metadata) is not read again")
            }
        }
        if let checksum = UploadChecksum(text) {
            let again = "\(checksum.algorithm) \(Data(checksum.digest).base64EncodedString())"
            guard UploadChecksum(again) == checksum else { fatalError("\(checksum) is not read again") }
        }
    }
}
