package import Access
package import Accounts
import Foundation

/// The operator's address to which messages for people are posted, as JSON.
///
/// Each try has a signature of its own, by which the receiver knows who sends, and when:
/// `Tintype-Signature: t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256 of `SECONDS.BODY` by the secret.
package struct AccountWebhook: Sendable {
    /// The pauses between the tries. With the time of each they stay below what a message may take.
    private static let usualPauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4)]
    private static let tryTime: Duration = .seconds(5)

    private let url: String
    private let secret: Secret
    private let client: OutgoingClient
    private let pauses: [Duration]
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - url: An https address, or one on this machine.
    ///   - now: The time in seconds since the epoch.
    package init(
        url: String, secret: Secret, client: OutgoingClient, pauses: [Duration]? = nil,
        now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        (self.url, self.secret, self.client, self.now) = (url, secret, client, now)
        self.pauses = pauses ?? Self.usualPauses
    }

    /// What posts messages.
    package var delivery: CodeDelivery { { message in try await deliver(message) } }

    /// Posts a message until it is taken; what is refused for good is not tried again.
    ///
    /// - Throws: ``DeliveryFailure`` with the last reason.
    private func deliver(_ message: AccountMessage) async throws {
        let body = try message.json()
        var tries = pauses.makeIterator()
        while true {
            let status = try await status(of: body)
            if let status, (200...299).contains(status) { return }
            let reason = status.map { "the webhook answers \($0)" } ?? "the webhook does not answer"
            if let status, status < 500, ![408, 425, 429].contains(status) { throw DeliveryFailure(reason) }
            guard let pause = tries.next() else { throw DeliveryFailure("\(reason), after \(pauses.count + 1) tries") }
            try await Task.sleep(for: pause)
        }
    }

    /// What the address answers to a try; nil when it does not.
    private func status(of body: [UInt8]) async throws -> Int? {
        do {
            return try await client.post(
                body, to: url, headers: [("Tintype-Signature", signature(of: body))], within: Self.tryTime)
        } catch is OutgoingError {
            // What it says is not told: the address may have a secret in it.
            return nil
        }
    }

    /// The value of the header that signs a body now.
    private func signature(of body: [UInt8]) -> String {
        let time = now()
        let code = Digest.hmacSHA256(Array("\(time).".utf8) + body, key: Array(secret.text.utf8))
        return "t=\(time),v1=" + code.map { String(format: "%02x", $0) }.joined()
    }
}
