import Store
import Tree

/// The quota that an operator sets for one user.
package enum UserQuota: Sendable, Hashable {
    /// A number of bytes.
    case bytes(Int)
    /// No limit.
    case unlimited
    /// The quota of the setting `user-quota`.
    case standard

    /// Reads an amount such as `5GB`, `none` or `default`; nil for any other text.
    package init?(_ text: String) {
        switch text {
        case "none": self = .unlimited
        case "default": self = .standard
        default:
            guard let bytes = ByteAmount.read(text) else { return nil }
            self = .bytes(bytes)
        }
    }

    /// The text form.
    package var text: String {
        switch self {
        case .bytes(let bytes): "\(bytes)"
        case .unlimited: "none"
        case .standard: "default"
        }
    }

    /// The value in the tree; nil for the standard quota.
    var value: TreeValue? {
        switch self {
        case .bytes(let bytes): .integer(Int64(bytes))
        case .unlimited: "none"
        case .standard: nil
        }
    }
}
