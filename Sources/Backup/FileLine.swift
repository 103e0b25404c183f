import Foundation

/// A file in the list of a backup: a line with its SHA-256, its size in bytes, its modification time, and its path. The
/// time of a file of the blob store, which never changes, is `-`.
///
///     9f2c… 48213 - maria/-P7K91neVPswQ9X6Yf_m/original.jpg
package struct FileLine: Hashable, Sendable {
    /// The longest line that is read, in bytes.
    private static let maxBytes = 64 << 10

    /// The path, relative to the blob store; that of another file, relative to the Storage folder.
    let path: String
    let byteCount: Int
    /// 64 hexadecimal digits.
    let sha256: String
    /// The modification time, in nanoseconds since the epoch; nil for files of the blob store.
    var modified: Int64?

    /// The components of the path.
    var names: [String] { path.split(separator: "/").map(String.init) }

    var text: String { "\(sha256) \(byteCount) \(modified.map(String.init) ?? "-") \(Self.escaped(path))\n" }

    init(path: String, byteCount: Int, sha256: String, modified: Int64? = nil) {
        (self.path, self.byteCount, self.sha256, self.modified) = (path, byteCount, sha256, modified)
    }

    /// Parses a line; nil if it is malformed, or its path leads out of the folder.
    init?(_ line: some StringProtocol) {
        guard line.utf8.count <= Self.maxBytes else { return nil }
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4, words[0].utf8.count == 64, words[0].utf8.allSatisfy({ $0.isHexDigit }),
            let byteCount = Int(words[1]), byteCount >= 0, let path = String(words[3]).removingPercentEncoding
        else { return nil }
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        guard names.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." && !$0.utf8.contains(0) }) else { return nil }
        self.init(path: path, byteCount: byteCount, sha256: String(words[0]), modified: Int64(words[2]))
    }

    /// The path with its control characters, and `%`, percent-encoded.
    private static func escaped(_ path: String) -> String {
        guard path.utf8.contains(where: { $0 < 0x20 || $0 == 0x25 || $0 == 0x7F }) else { return path }
        return path.unicodeScalars.map { scalar in
            guard scalar.isASCII, scalar.value < 0x20 || scalar == "%" || scalar.value == 0x7F else {
                return String(scalar)
            }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }

    /// Whether one path precedes another in a walk over folders in the byte order of their names.
    static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lazy.map { $0 == 0x2F ? 0 : $0 }.lexicographicallyPrecedes(
            other.utf8.lazy.map { $0 == 0x2F ? 0 : $0 })
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool { (0x30...0x39).contains(self) || (0x61...0x66).contains(self) }
}
