import API
package import Tree

/// Where reading of the change log begins.
package enum ChangePosition: Sendable {
    /// After the change of which somebody was told this token.
    case token(SyncToken)
    /// Before the oldest change that is kept.
    case oldest
    /// After the latest change.
    case now
}

extension DatabaseSession {
    /// The token of a position in the change log.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    package func token(of position: ChangePosition) async throws(TreeError) -> SyncToken {
        switch position {
        case .token(let token): token
        case .now: try await database.tree.token
        case .oldest: try await database.tree.oldestToken
        }
    }

    /// A page of the changes at a path, above it and below it that were committed after a token, oldest first; for whom rules
    /// bind with the values that there are now, and from when on nothing has changed at which these look.
    ///
    /// - Throws: `Failure` with the code `resnapshot` for a token of which the change log does not know, or no longer, or from
    ///   which on that person may not have been allowed to read it; `TreeError`, the engine's failure.
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
                    read the path again: the header Tintype-Token of the answer is where to go on; since=oldest begins with \
                    what the log still has
                    """)
        }
    }

    /// Sees to it that everything at a path may be read.
    ///
    /// - Throws: `TreeError` with the code `permission_denied`, or the engine's failure.
    package func judgeRead(of path: TreePath) async throws {
        guard let requester else { return }
        try await database.tree.snapshot { snapshot in try requester.judgeRead(of: path, in: snapshot) }
    }

    /// Waits until there are changes after a token, but not longer than this; the wait ends with the task.
    package func waitForChange(after token: SyncToken, atMost limit: Duration) async {
        await database.tree.waitForChange(after: token, atMost: limit)
    }
}
