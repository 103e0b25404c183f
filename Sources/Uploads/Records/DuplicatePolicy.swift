import Files
package import Model
import Tree

/// The treatment of photos whose bytes their user has posted before.
package enum DuplicatePolicy: String, Sendable, CaseIterable {
    /// Creates no second post: the receipt names the first one.
    case link
    /// Creates a separate post, as if the bytes were new.
    case newPost = "new-post"
    /// Fails the upload, which is put aside with other failed ones.
    case reject
}

/// The policies of individual users, and that of all others.
package struct DuplicatePolicies: Sendable {
    /// The policy of users without one of their own.
    package var general = DuplicatePolicy.link
    package var byUser: [UserID: DuplicatePolicy] = [:]

    package init() {}

    /// Reads a policy, or several words separated by spaces: a policy, and `USER=POLICY` for each user with a different
    /// one.
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
