package import Tree

/// What a change of the tree means for those who show posts.
package enum PostEvent: Sendable, Hashable {
    /// A post was written whole: it has been published, or was replaced.
    ///
    /// - position: The place in the order of publication; of the change's own sequence when the post is new. Nil when
    ///   the post is gone by now.
    case put(id: TreeKey, record: TreeValue, position: PostPosition?)
    case deleted(id: TreeKey)
    /// What was written is no post; `fault` says why.
    case unreadable(id: TreeKey, fault: String)
    /// All posts were written at once: whoever shows any has to read them again.
    case replaced
}

extension PostReader {
    /// What a change of `posts/` means, write by write; nil for changes within a post, such as other renditions.
    ///
    /// - Parameter change: A change as it is seen from `posts/`.
    package func events(of change: Change) async throws -> [PostEvent?] {
        var events: [PostEvent?] = []
        for write in change.writes { events.append(try await event(of: write, at: change.token)) }
        return events
    }

    private func event(of write: TreeWrite, at token: SyncToken) async throws -> PostEvent? {
        guard let id = write.path.keys.first else { return .replaced }
        guard write.path.depth == 1 else {
            // Who deletes the last of what is in a post deletes the post.
            guard write.value == nil, try await !exists(id) else { return nil }
            return .deleted(id: id)
        }
        guard let record = write.value else { return .deleted(id: id) }
        if let fault = PostShape.fault(of: record) { return .unreadable(id: id, fault: fault) }
        return .put(id: id, record: record, position: try await position(of: id, in: record, at: token))
    }

    private func position(of id: TreeKey, in record: TreeValue, at token: SyncToken) async throws -> PostPosition? {
        // What we have published says so itself.
        if record["published"]?.integerValue == Int64(clamping: token.sequence) {
            return PostPosition(sequence: token.sequence)
        }
        return try await position(of: id)
    }
}
