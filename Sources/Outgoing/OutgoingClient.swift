import NIOCore
import NIOHTTP1
import NIOSSL

/// A client for HTTP requests to other machines: for small documents, over TLS that is verified by the system's
/// certificates.
///
/// Redirects are not followed: the response of the requested address is used. Each exchange has a connection of its own,
/// and a time limit, from the connection to the last byte.
package struct OutgoingClient: Sendable {
    /// The time limit for fetching a document.
    private static let fetchTime: Duration = .seconds(10)

    /// The machine's trusted certificates, read when they are first needed; an error on a machine that has none.
    private static let tls = Result {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }

    package init() {}

    /// Fetches a document with a maximum size.
    ///
    /// - Throws: ``OutgoingError`` if there is none.
    package func document(
        at url: String, maxBytes: Int, within time: Duration = fetchTime
    ) async throws -> (bytes: [UInt8], maxAgeSeconds: Int?) {
        let answer = try await answer(
            to: .GET, url, headers: [("Accept", "application/json")], body: [], maxBytes: maxBytes, within: time)
        guard answer.status == .ok else {
            let target = answer.headers.first(name: "location").map { ", which leads to \($0)" } ?? ""
            throw OutgoingError("\(url) answers \(answer.status.code)\(target)")
        }
        return (answer.bytes, CacheAge.seconds(in: answer.headers))
    }

    /// Posts a JSON document.
    ///
    /// - Parameter maxBytes: The largest size of a response; other responses are not read.
    /// - Returns: The status of the response, and its body if the status is 200.
    /// - Throws: ``OutgoingError`` if there is no response, or if it is too long.
    func post(
        _ json: [UInt8], to url: String, headers: [(String, String)], maxBytes: Int = 0, within time: Duration
    ) async throws -> (status: Int, bytes: [UInt8]) {
        let answer = try await answer(
            to: .POST, url, headers: [("Content-Type", "application/json")] + headers, body: json, maxBytes: maxBytes,
            within: time)
        return (Int(answer.status.code), answer.bytes)
    }

    /// Returns the response to a request, with its body if that is needed.
    private func answer(
        to method: HTTPMethod, _ url: String, headers: [(String, String)], body: [UInt8], maxBytes: Int,
        within time: Duration
    ) async throws -> OutgoingResponse {
        do {
            let target = try OutgoingTarget(url)
            let request = target.head(method, headers: headers, bodyBytes: body.count)
            let exchange = OutgoingExchange(
                target: target, tls: try target.isSecure ? Self.tls.get() : nil, maxBytes: maxBytes)
            return try await TimeLimit.run(time) { try await exchange.response(to: request, body: body) }
        } catch is NIOTooManyBytesError {
            throw OutgoingError("\(url) answers more than \(maxBytes) bytes")
        } catch is TimeLimit.Exceeded {
            throw OutgoingError("\(url) does not answer within \(time.components.seconds) seconds")
        } catch {
            try Task.checkCancellation()
            throw OutgoingError("\(url) cannot be reached: \(OutgoingError.reason(of: error))")
        }
    }
}
