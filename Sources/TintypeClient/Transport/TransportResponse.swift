#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An answer over HTTP with its whole body.
public struct TransportResponse: Hashable, Sendable {
    /// The status, such as 200.
    public var status: Int
    /// The header fields; several with one name are joined with commas.
    public var headers: HeaderFields
    /// The body, without a content encoding.
    public var body: Data

    /// Creates an answer.
    public init(status: Int, headers: HeaderFields = [:], body: Data = Data()) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// An answer over HTTP whose body arrives bit by bit.
public struct TransportStream: Sendable {
    /// The status, such as 200.
    public var status: Int
    /// The header fields; several with one name are joined with commas.
    public var headers: HeaderFields
    /// The bytes as they arrive; it throws `TransportError`. To end the loop over it, or the task, closes the connection.
    public var chunks: AsyncThrowingStream<Data, any Error>

    /// Creates an answer.
    public init(status: Int, headers: HeaderFields = [:], chunks: AsyncThrowingStream<Data, any Error>) {
        (self.status, self.headers, self.chunks) = (status, headers, chunks)
    }
}
