public import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A write that was not carried out because values have changed.
public enum ConditionFailed: Error, Hashable, Sendable {
    /// The present value of the node, and its ETag.
    case value(JSONValue, etag: String)
    /// The paths whose values have changed, each with its present ETag; empty if they are as required again.
    case paths([String: String])

    /// The ETag of a node without a value. With it as a condition, a write creates a node, or fails.
    public static let absent = "null_etag"

    /// Creates the error of an answer with the status 412.
    ///
    /// - Throws: `DecodingError` if the answer is not in the form of the service.
    init(_ response: TransportResponse, toSeveral isOfSeveral: Bool) throws {
        let body = try JSONDecoder().decode(JSONValue.self, from: response.body)
        guard isOfSeveral else {
            self = .value(body, etag: response.headers["ETag"] ?? Self.absent)
            return
        }
        self = .paths((body["paths"]?.object ?? [:]).mapValues { $0.string ?? Self.absent })
    }
}

extension ConditionFailed: CustomStringConvertible {
    /// The statement that nothing was written, with the paths.
    public var description: String {
        switch self {
        case .value: "the value has changed; nothing was written"
        case .paths(let paths): "the values at \(paths.keys.sorted()) have changed; nothing was written"
        }
    }
}
