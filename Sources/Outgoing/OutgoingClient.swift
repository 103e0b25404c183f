import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL

/// A client for HTTP requests to other machines: for small documents, over TLS that is verified by the system's
/// certificates.
///
/// Redirects are not followed: the response of the requested address is used. Each exchange has a time limit, from the
/// connection to the last byte.
package struct OutgoingClient: Sendable {
    /// The time limit for fetching a document.
    private static let fetchTime: Duration = .seconds(10)

    private let client: HTTPClient

    /// Runs a body with a client, and shuts the client down afterwards.
    ///
    /// - Throws: The errors of the body.
    package static func run<R>(_ body: (OutgoingClient) async throws -> R) async throws -> R {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: .seconds(10)))
        configuration.httpVersion = .http1Only
        // The caller tries again when it is time.
        configuration.connectionPool.retryConnectionEstablishment = false
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await body(OutgoingClient(client: client))
        }
    }

    /// Fetches a document with a maximum size.
    ///
    /// - Throws: ``OutgoingError`` if there is none.
    package func document(
        at url: String, maxBytes: Int, within time: Duration = fetchTime
    ) async throws -> (bytes: [UInt8], maxAgeSeconds: Int?) {
        var request = HTTPClientRequest(url: url)
        request.headers = ["Accept": "application/json", "User-Agent": "tintype"]
        let answer = try await answer(to: request, maxBytes: maxBytes, within: time)
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
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = HTTPHeaders([("Content-Type", "application/json"), ("User-Agent", "tintype")] + headers)
        request.body = .bytes(json)
        let answer = try await answer(to: request, maxBytes: maxBytes, within: time)
        return (Int(answer.status.code), answer.bytes)
    }

    private struct Answer: Sendable {
        let status: HTTPResponseStatus
        let headers: HTTPHeaders
        let bytes: [UInt8]
    }

    /// Returns the response to a request, with its body if that is needed.
    private func answer(
        to request: HTTPClientRequest, maxBytes: Int, within time: Duration
    ) async throws -> Answer {
        do {
            return try await TimeLimit.run(time) { [client] in
                let response = try await client.execute(request, deadline: .distantFuture)
                guard maxBytes > 0, response.status == .ok else {
                    return Answer(status: response.status, headers: response.headers, bytes: [])
                }
                let body = try await response.body.collect(upTo: maxBytes)
                // An incomplete body is not returned.
                try Task.checkCancellation()
                return Answer(status: response.status, headers: response.headers, bytes: Array(body.readableBytesView))
            }
        } catch is NIOTooManyBytesError {
            throw OutgoingError("\(request.url) answers more than \(maxBytes) bytes")
        } catch is TimeLimit.Exceeded {
            throw OutgoingError("\(request.url) does not answer within \(time.components.seconds) seconds")
        } catch {
            try Task.checkCancellation()
            throw OutgoingError("\(request.url) cannot be reached: \(OutgoingError.reason(of: error))")
        }
    }
}
