import API
import Requests

/// An address of the bucket, `/v0/b/BUCKET/o` or `/v0/b/BUCKET/o/OBJECT`, as Firebase's Storage SDKs write it: the name
/// of an object is one segment, in which slashes are escaped.
struct StorageAddress: Hashable {
    private static let prefix = "/v0/b/"

    let bucket: String
    /// The name in the path, decoded; nil if there is none.
    let name: String?

    /// Whether a path belongs to this application.
    static func isOne(_ path: some StringProtocol) -> Bool { path.hasPrefix(prefix) }

    /// Parses a path as it was sent, without its query; nil if it is not an address of a bucket.
    ///
    /// A proxy in front may have decoded the slashes in the name, so the name is the whole rest of the path.
    init?(_ path: some StringProtocol) {
        guard path.hasPrefix(Self.prefix) else { return nil }
        let parts = Substring(path.dropFirst(Self.prefix.count)).utf8
            .split(separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[1].elementsEqual("o".utf8), let bucket = PercentEncoding.decode(parts[0]),
            !bucket.isEmpty
        else { return nil }
        self.bucket = bucket
        guard parts.count == 3, !parts[2].isEmpty else {
            name = nil
            return
        }
        guard let name = PercentEncoding.decode(parts[2]) else { return nil }
        self.name = name
    }
}

/// The fields of an address's query, by name. Unknown ones are ignored, because SDKs send some for other recipients.
struct StorageQuery {
    /// The longest accepted query, in bytes.
    private static let maxBytes = 16 << 10

    private var fields: [String: String] = [:]

    /// Parses a query; of several fields with one name, the first one counts.
    ///
    /// - Throws: `Failure` `bad_request` for a query that is too long, or not percent-encoded UTF-8.
    init(_ query: String?) throws(Failure) {
        guard (query ?? "").utf8.count <= Self.maxBytes else {
            throw Failure(.badRequest, "the query has more than \(Self.maxBytes) bytes")
        }
        for field in URLEncodedFields(query) {
            guard let name = field.name, let value = field.value else {
                throw Failure(.badRequest, "the query is not percent-encoded UTF-8")
            }
            if fields[name] == nil { fields[name] = value }
        }
    }

    subscript(name: String) -> String? { fields[name] }
}
