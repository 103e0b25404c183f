package import Tree

/// The effect of a change of the tree on readers who show posts.
package enum PostEvent: Sendable, Hashable {
    /// A post has been published, or was replaced as a whole.
    ///
    /// `position` is the post's position in the order of publication, or nil if the post has been deleted since.
    case put(id: TreeKey, record: TreeValue, position: PostPosition?)
    case deleted(id: TreeKey)
    /// The written value is not a post; `fault` is the reason.
    case unreadable(id: TreeKey, fault: String)
    /// All posts were written at once; readers have to read their posts again.
    case replaced
}

extension PostReader {
    /// Returns the events of a change of `posts/`, write by write; nil for changes within a post, such as other
    /// renditions, and for all but the last write of a post that a client writes in parts.
    ///
    /// - Parameters:
    ///   - change: A change as it is seen from `posts/`.
    ///   - numbers: The range of its writes.
    package func events(of change: Change, _ numbers: Range<Int>) async throws -> [PostEvent?] {
        var events: [PostEvent?] = []
        for (index, write) in zip(change.writes.indices, change.writes) where numbers.contains(index) {
            let next = change.writes.dropFirst(index + 1).first
            let isLast = next == nil || next?.path.keys.first != write.path.keys.first
            events.append(try await event(of: write, isLast: isLast, at: change.token))
        }
        return events
    }

    /// - Parameter isLast: Whether no other write of the change is within the same post.
    private func event(of write: TreeWrite, isLast: Bool, at token: SyncToken) async throws -> PostEvent? {
        guard let id = write.path.keys.first else { return .replaced }
        guard write.path.depth > 1 else { return try await event(of: write.value, at: id, token) }
        if write.value == nil {
            // Deleting the last value within a post deletes the post.
            return try await exists(id) ? nil : .deleted(id: id)
        }
        // A post's position is that of the change with which it appeared.
        guard isLast, let position = try await position(of: id), position.sequence == token.sequence,
            let record = try await record(at: id)
        else { return nil }
        return try await event(of: record, at: id, token)
    }

    private func event(of record: TreeValue?, at id: TreeKey, _ token: SyncToken) async throws -> PostEvent {
        guard let record else { return .deleted(id: id) }
        if let fault = PostShape.fault(of: record) { return .unreadable(id: id, fault: fault) }
        return .put(id: id, record: record, position: try await position(of: id, in: record, at: token))
    }

    private func position(of id: TreeKey, in record: TreeValue, at token: SyncToken) async throws -> PostPosition? {
        // A post that the service published contains its own position.
        if record["published"]?.integerValue == Int64(clamping: token.sequence) {
            return PostPosition(sequence: token.sequence)
        }
        return try await position(of: id)
    }
}
