import Access
import Accounts
package import Cryptography
import Foundation

/// An address of the operator's that receives documents by POST, as JSON.
///
/// Each attempt has a signature of its own, which proves the sender and the time to the receiver:
/// `Tintype-Signature: t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256 of `SECONDS.BODY` by the secret.
package struct SignedWebhook: Sendable {
    private static let tryTime: Duration = .seconds(5)

    private let url: String
    private let secret: Secret
    private let client: OutgoingClient
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - url: The address: an https URL, or one on this machine.
    ///   - now: Returns the time in seconds since the epoch.
    package init(
        url: String, secret: Secret, client: OutgoingClient,
        now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        (self.url, self.secret, self.client, self.now) = (url, secret, client, now)
    }

    /// Posts a document once.
    ///
    /// - Throws: ``DeliveryFailure`` if it is not accepted.
    package func post(_ json: [UInt8]) async throws {
        let status = try await status(of: json)
        guard let status, (200...299).contains(status) else { throw Self.failure(status) }
    }

    /// Posts a document once, and returns the body of a response with the status 200.
    ///
    /// - Parameter maxBytes: The largest size of the response.
    /// - Throws: ``DeliveryFailure`` if there is no such response.
    package func answer(to json: [UInt8], maxBytes: Int, within time: Duration) async throws -> [UInt8] {
        let answer = try await exchange(json, maxBytes: maxBytes, within: time)
        guard let answer, answer.status == 200 else { throw Self.failure(answer?.status) }
        return answer.bytes
    }

    /// Returns the status of the response to an attempt; nil if there is none.
    func status(of json: [UInt8]) async throws -> Int? {
        try await exchange(json, maxBytes: 0, within: Self.tryTime)?.status
    }

    private func exchange(
        _ json: [UInt8], maxBytes: Int, within time: Duration
    ) async throws -> (status: Int, bytes: [UInt8])? {
        do {
            return try await client.post(
                json, to: url, headers: [("Tintype-Signature", signature(of: json))], maxBytes: maxBytes, within: time)
        } catch is OutgoingError {
            // The error is not reported, because the address may contain a secret.
            return nil
        }
    }

    /// Returns the failure for a missing or unsuccessful response.
    static func failure(_ status: Int?, _ more: String = "") -> DeliveryFailure {
        DeliveryFailure((status.map { "the webhook answers \($0)" } ?? "the webhook does not answer") + more)
    }

    /// Returns the header field that signs a body at the current time.
    private func signature(of body: [UInt8]) -> String {
        let time = now()
        let code = Digest.hmacSHA256(Array("\(time).".utf8) + body, key: Array(secret.text.utf8))
        return "t=\(time),v1=" + Hex.encode(code)
    }
}
