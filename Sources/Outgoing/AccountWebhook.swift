import Access
package import Accounts
package import Cryptography
import Foundation

/// The operator's address that receives messages for people by POST, as JSON.
package struct AccountWebhook: Sendable {
    /// The pauses between attempts. Together with the time of each attempt, they stay below the time limit of a
    /// message.
    private static let usualPauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4)]

    private let webhook: SignedWebhook
    private let pauses: [Duration]

    /// - Parameters:
    ///   - url: The address: an https URL, or one on this machine.
    ///   - now: Returns the time in seconds since the epoch.
    package init(
        url: String, secret: Secret, client: OutgoingClient, pauses: [Duration]? = nil,
        now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        self.init(SignedWebhook(url: url, secret: secret, client: client, now: now), pauses: pauses)
    }

    package init(_ webhook: SignedWebhook, pauses: [Duration]? = nil) {
        self.webhook = webhook
        self.pauses = pauses ?? Self.usualPauses
    }

    /// The delivery of messages to the address.
    package var delivery: CodeDelivery { { message in try await deliver(message) } }

    /// Posts a message until it is accepted; a permanently refused message is not tried again.
    ///
    /// - Throws: ``DeliveryFailure`` with the last reason.
    private func deliver(_ message: AccountMessage) async throws {
        let body = try message.json()
        var tries = pauses.makeIterator()
        while true {
            let status = try await webhook.status(of: body)
            if let status, (200...299).contains(status) { return }
            if let status, status < 500, ![408, 425, 429].contains(status) { throw SignedWebhook.failure(status) }
            guard let pause = tries.next() else {
                throw SignedWebhook.failure(status, ", after \(pauses.count + 1) tries")
            }
            try await Task.sleep(for: pause)
        }
    }
}
