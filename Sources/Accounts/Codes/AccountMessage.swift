import Foundation

/// A message with a code, for an operator's program or webhook to send.
package struct AccountMessage: Encodable, Hashable, Sendable {
    /// The meaning of the code: `VERIFY_EMAIL`, `PASSWORD_RESET`, `EMAIL_SIGNIN`, `VERIFY_AND_CHANGE_EMAIL`
    /// or `INVITATION`.
    package let kind: String
    /// The recipient's address.
    package let email: String
    /// The code itself.
    package let code: String
    /// The URL of the page where the code is used, with the code.
    package let link: String
    /// The time at which the code expires, in milliseconds since the epoch.
    package let expiresMilliseconds: Int64
    /// The service that sends it.
    package let site: Site

    /// The name and the addresses of the service.
    package struct Site: Encodable, Hashable, Sendable {
        package let name: String
        /// The address of the service's first page; nil when it is not known.
        package let url: String?
        /// The language of the service's pages, `en` or `de`; nil when each reader's browser chooses it.
        package let language: String?
        /// The addresses of the imprint, of the terms of use and of the privacy policy; nil for none.
        package let imprint: String?
        package let terms: String?
        package let privacy: String?

        package init(
            name: String, url: String? = nil, language: String? = nil, imprint: String? = nil, terms: String? = nil,
            privacy: String? = nil
        ) {
            self.name = name
            self.url = url
            self.language = language
            self.imprint = imprint
            self.terms = terms
            self.privacy = privacy
        }
    }

    /// Returns the message for delivery: a JSON object in UTF-8.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}

/// The failure of a delivery. It is logged, so it must not contain any part of the message.
package struct DeliveryFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Delivers a message; throws when this fails, and when it is cancelled because it takes too long.
package typealias CodeDelivery = @Sendable (AccountMessage) async throws -> Void
