import Access
import Cryptography
package import TreeModel

/// The request of a person without an invitation to become a member.
package struct JoinRequest: Hashable, Sendable {
    /// The id: 16 hexadecimal digits of the hash of the address.
    package let id: String
    package let email: EmailAddress
    /// The name that the person gave.
    package let name: String
    /// The words of the person; empty if nothing.
    package let text: String
    package let createdAt: Timestamp

    /// The longest name, and the longest text, in characters.
    package static let (maxNameLength, maxTextLength) = (100, 500)
    /// The largest number of requests; further ones are refused until some are answered.
    static let maxCount = 1000
    /// The time after which a request that nobody answers is deleted: 60 days.
    static let lifetime = Duration.seconds(60 * 86_400)

    func isOver(at now: Timestamp) -> Bool { createdAt + Self.lifetime <= now }

    /// Returns the id of the request of an address.
    static func id(of email: EmailAddress) -> String { Hex.encode(Digest.sha256("join:\(email)").prefix(8)) }
}

extension JoinRequest: TreeRecord {
    package static let form = RecordForm(
        Self.init(id:email:name:text:createdAt:), .init(keyAs: \.id), .init("email", \.email), .init("name", \.name),
        .init("text", \.text, default: ""), .init("created", \.createdAt))
}
