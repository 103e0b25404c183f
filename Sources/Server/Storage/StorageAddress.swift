import API
import Requests

/// An address of the bucket, `/v0/b/BUCKET/o` or `/v0/b/BUCKET/o/OBJECT`, as Firebase's Storage SDKs write it: the name of an
/// object is one segment, in which slashes are escaped.
struct StorageAddress: Hashable {
    private static let prefix = "/v0/b/"

    let bucket: String
    /// The name in the path, decoded; nil where there is none.
    let name: String?

    /// Whether a path is below this application.
    static func isOne(_ path: some StringProtocol) -> Bool { path.hasPrefix(prefix) }

    /// Reads a path as it was sent, without its query; nil for what is no address of a bucket.
    ///
    /// A proxy in front may have decoded the slashes in the name: it is all that follows.
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

/// The fields of an address's query, by their names. Those that are not known are let pass: SDKs send some for others' eyes.
struct StorageQuery {
    /// The longest query that is looked at, in bytes.
    private static let maxBytes = 16 << 10

    private var fields: [String: String] = [:]

    /// Reads a query; of a name that occurs twice, the first one counts.
    ///
    /// - Throws: `Failure` `bad_request` for what is not percent-encoded UTF-8, or too long.
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
