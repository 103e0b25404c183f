import API
package import Tree

/// The position in the change log at which reading starts.
package enum ChangePosition: Sendable {
    /// After the change with this token.
    case token(SyncToken)
    /// Before the oldest change in the log.
    case oldest
    /// After the latest change.
    case now
}

extension DatabaseSession {
    /// Returns the token of a position in the change log.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    package func token(of position: ChangePosition) async throws(TreeError) -> SyncToken {
        switch position {
        case .token(let token): token
        case .now: try await database.tree.token
        case .oldest: try await database.tree.oldestToken
        }
    }

    /// Returns a page of the changes at a path, above it and below it that were committed after a token, oldest first.
    /// For identities that are bound by rules, the present values are used, and the changes are returned only if no
    /// node that the rules read has changed since the token.
    ///
    /// - Throws: `Failure` with the code `resnapshot` if the change log does not contain the token, or no longer, or if
    ///   the identity may not have been allowed to read the path since then; `TreeError`, the engine's failure.
    package func changes(
        since token: SyncToken, at path: TreePath, limit: Int, _ form: JSONForm
    ) async throws -> ChangePage {
        do {
            return try await ReadingClient.read(for: reader) {
                try await database.tree.snapshot { [requester] snapshot in
                    try requester?.judgeRead(of: path, since: token, in: snapshot)
                    return try snapshot.changePage(
                        since: token, at: path, limit: limit, form, isPresent: requester != nil)
                }
            }
        } catch let error as TreeError {
            guard error.code == .tokenTooOld || error.code == .tokenUnknown else { throw error }
            throw Failure(
                .resnapshot, error.message,
                hint: """
                    Read the path again, and continue from the header Tintype-Token of the answer. Write since=oldest \
                    to begin with the oldest change that is still in the log.
                    """)
        }
    }

    /// Checks that the whole value at a path may be read, or the part that a query selects.
    ///
    /// - Throws: `TreeError` with the code `permission_denied`, or the engine's failure.
    package func judgeRead(of path: TreePath, matching query: TreeQuery? = nil) async throws {
        guard let requester else { return }
        try await database.tree.snapshot { snapshot in
            try requester.judgeRead(of: path, matching: query, in: snapshot)
        }
    }

    /// Waits until there are changes after a token, or the time limit is reached, or the task is cancelled.
    package func waitForChange(after token: SyncToken, atMost limit: Duration) async {
        await database.tree.waitForChange(after: token, atMost: limit)
    }
}
