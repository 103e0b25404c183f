import Foundation

/// A message with a code, for an operator's program or webhook to send.
package struct AccountMessage: Encodable, Hashable, Sendable {
    /// The meaning of the code: `VERIFY_EMAIL`, `PASSWORD_RESET`, `EMAIL_SIGNIN` or `VERIFY_AND_CHANGE_EMAIL`.
    package let kind: String
    /// The address that it goes to.
    package let email: String
    /// The code itself.
    package let code: String
    /// The page where the code is used, with the code.
    package let link: String
    /// The time until which the code is good, in milliseconds since the epoch.
    package let expiresMilliseconds: Int64

    /// The message as it is handed over: a JSON object in UTF-8.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}

/// Why a message was not taken. It is logged, so that nothing of the message may be in it.
package struct DeliveryFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Hands a message to what sends it; throws when that failed, and when it is cancelled because it takes too long.
package typealias CodeDelivery = @Sendable (AccountMessage) async throws -> Void
