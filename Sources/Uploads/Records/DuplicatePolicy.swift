import Files
package import Model
import Tree

/// The treatment of photos whose bytes their user has posted before.
package enum DuplicatePolicy: String, Sendable, CaseIterable {
    /// No second post: the receipt names the first one.
    case link
    /// A post of its own, as if the bytes were new.
    case newPost = "new-post"
    /// A failure, put aside with the others.
    case reject
}

/// The policies of single users, and that of all others.
package struct DuplicatePolicies: Sendable {
    /// The policy for all users who are not named.
    package var general = DuplicatePolicy.link
    package var byUser: [UserID: DuplicatePolicy] = [:]

    package init() {}

    /// Reads a policy, or several things separated by spaces: a policy, and `USER=POLICY` for each user who has another.
    package init?(parsing text: String) {
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let policy = parts.last.flatMap(DuplicatePolicy.init) else { return nil }
            if parts.count == 1 {
                general = policy
            } else if let user = UserID(parts[0]) {
                byUser[user] = policy
            } else {
                return nil
            }
        }
    }

    package subscript(user: UserID) -> DuplicatePolicy { byUser[user] ?? general }
}
