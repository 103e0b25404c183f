import Store
import Tree

/// A quota as an operator chooses it for one user.
package enum UserQuota: Sendable, Hashable {
    /// So many bytes.
    case bytes(Int)
    /// No limit.
    case unlimited
    /// That of the setting `user-quota`.
    case standard

    /// Reads an amount such as `5GB`, `none` or `default`; nil for anything else.
    package init?(_ text: String) {
        switch text {
        case "none": self = .unlimited
        case "default": self = .standard
        default:
            guard let bytes = ByteAmount.read(text) else { return nil }
            self = .bytes(bytes)
        }
    }

    /// The text for whoever reads it back.
    package var text: String {
        switch self {
        case .bytes(let bytes): "\(bytes)"
        case .unlimited: "none"
        case .standard: "default"
        }
    }

    /// The value in the tree; nil for the setting's quota.
    var value: TreeValue? {
        switch self {
        case .bytes(let bytes): .integer(Int64(bytes))
        case .unlimited: "none"
        case .standard: nil
        }
    }
}
