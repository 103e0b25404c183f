import Access
import Accounts
package import Cryptography
import Foundation

/// An address of the operator's to which documents are posted, as JSON.
///
/// Each try has a signature of its own, by which the receiver knows who sends, and when:
/// `Tintype-Signature: t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256 of `SECONDS.BODY` by the secret.
package struct SignedWebhook: Sendable {
    private static let tryTime: Duration = .seconds(5)

    private let url: String
    private let secret: Secret
    private let client: OutgoingClient
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - url: An https address, or one on this machine.
    ///   - now: The time in seconds since the epoch.
    package init(
        url: String, secret: Secret, client: OutgoingClient,
        now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        (self.url, self.secret, self.client, self.now) = (url, secret, client, now)
    }

    /// Posts a document once.
    ///
    /// - Throws: ``DeliveryFailure`` when it is not taken.
    package func post(_ json: [UInt8]) async throws {
        let status = try await status(of: json)
        guard let status, (200...299).contains(status) else { throw Self.failure(status) }
    }

    /// Posts a document once, and returns what is answered with the status 200.
    ///
    /// - Parameter maxBytes: The longest answer.
    /// - Throws: ``DeliveryFailure`` when there is no such answer.
    package func answer(to json: [UInt8], maxBytes: Int, within time: Duration) async throws -> [UInt8] {
        let answer = try await exchange(json, maxBytes: maxBytes, within: time)
        guard let answer, answer.status == 200 else { throw Self.failure(answer?.status) }
        return answer.bytes
    }

    /// What the address answers to a try; nil when it does not.
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
            // What it says is not told: the address may have a secret in it.
            return nil
        }
    }

    /// What is told of an answer that is none, or a refusal.
    static func failure(_ status: Int?, _ more: String = "") -> DeliveryFailure {
        DeliveryFailure((status.map { "the webhook answers \($0)" } ?? "the webhook does not answer") + more)
    }

    /// The value of the header that signs a body now.
    private func signature(of body: [UInt8]) -> String {
        let time = now()
        let code = Digest.hmacSHA256(Array("\(time).".utf8) + body, key: Array(secret.text.utf8))
        return "t=\(time),v1=" + Hex.encode(code)
    }
}
