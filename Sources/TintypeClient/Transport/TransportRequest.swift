#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A request over HTTP, with everything that is sent.
public struct TransportRequest: Hashable, Sendable {
    /// The body of a request.
    public enum Body: Hashable, Sendable {
        /// No body.
        case none
        /// Bytes in memory.
        case data(Data)
        /// A part of a file.
        ///
        /// - Parameters:
        ///   - file: The address of the file.
        ///   - offset: The position of the first byte.
        ///   - count: The number of bytes.
        case file(URL, offset: Int64, count: Int64)

        /// The number of bytes.
        public var count: Int64 {
            switch self {
            case .none: 0
            case .data(let data): Int64(data.count)
            case .file(_, _, let count): count
            }
        }
    }

    /// The method, such as `GET`.
    public var method: String
    /// The absolute address.
    public var url: URL
    /// The header fields. `Content-Length` and `Host` are added by the transport.
    public var headers: HeaderFields
    /// The body.
    public var body: Body
    /// The longest time without a byte in either direction.
    public var idleTimeout: Duration = .seconds(60)

    /// Creates a request.
    public init(_ method: String, _ url: URL, headers: HeaderFields = [:], body: Body = .none) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }
}
