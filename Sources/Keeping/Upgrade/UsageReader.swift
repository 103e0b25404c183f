package import API
package import Model
package import Tree
package import Uploads

/// Reads the space that files take up: in total, and per user.
package struct UsageReader: Sendable {
    private let tree: TreeStore
    private let settings: SharedSettings
    private let count: UsageCount

    package init(_ tree: TreeStore, settings: SharedSettings, count: UsageCount) {
        (self.tree, self.settings, self.count) = (tree, settings, count)
    }

    /// Returns a page of the usage of users, in the order of their ids, with the sum over all users.
    ///
    /// - Parameter last: The last user of the page before; nil for the first page.
    package func page(after last: UserID?, limit: Int) async throws -> UsagePageDocument {
        let isComplete = try await count.isDone()
        let standard = settings.value.userQuota
        return try await tree.snapshot { snapshot in
            var users: [UsageDocument] = []
            var range = last.map { KeyRange.after($0.key) } ?? .all
            var next: String?
            while true {
                let lines = try snapshot.children(of: UsageNodes.ofOwner(), range: range, limit: limit + 1)
                // Files without an owner count only in the sum.
                for line in lines {
                    guard let user = UserID(line.key.string) else { continue }
                    guard users.count < limit else {
                        next = users.last?.user
                        break
                    }
                    users.append(try Self.document(of: user, line.value, standard: standard, in: snapshot))
                }
                guard next == nil, lines.count == limit + 1, let last = lines.last else { break }
                range = .after(last.key)
            }
            let all = Usage(try snapshot.get(UsageNodes.ofAll())).document(of: nil)
            return UsagePageDocument(users: users, all: all, isComplete: isComplete, next: next)
        }
    }

    /// Returns the usage of one user.
    ///
    /// - Throws: `Failure` `unknown_user` if there is no such person or account, and no file.
    package func document(of user: UserID) async throws -> UsageDocument {
        let standard = settings.value.userQuota
        return try await tree.snapshot { snapshot in
            let line = try snapshot.get(UsageNodes.ofOwner() / user.key)
            guard
                try line != nil || snapshot.exists(PeopleNodes.person(user))
                    || snapshot.exists(AccountNodes.account(user.key))
            else {
                throw Failure(
                    .unknownUser, "the user \(user) does not exist: there is no such person or account, and no file",
                    hint: "List people with tintype person ls, and accounts with tintype user ls.")
            }
            return try Self.document(of: user, line, standard: standard, in: snapshot)
        }
    }

    /// Returns the document of a user whose line is known.
    private static func document(
        of user: UserID, _ line: TreeValue?, standard: StandardQuotas, in snapshot: TreeSnapshot
    ) throws(TreeError) -> UsageDocument {
        let quota = try UserQuotas.limit(of: user, standard: standard, in: snapshot)
        var document = Usage(line).document(of: user.description, quota: quota)
        let times = try EntityTimes(at: TimeNodes.quota(user), in: snapshot)
        (document.quotaCreated, document.quotaUpdated) = (times.created?.milliseconds, times.updated?.milliseconds)
        document.name = try snapshot.get(PeopleNodes.person(user) / "full_name")?.stringValue
        return document
    }
}
