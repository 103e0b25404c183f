package import Tree

/// What a change of the tree means for those who show posts.
package enum PostEvent: Sendable, Hashable {
    /// A post has been published, or was written anew as a whole.
    ///
    /// `position` is the post's place in the order of publication, or nil if the post is gone by now.
    case put(id: TreeKey, record: TreeValue, position: PostPosition?)
    case deleted(id: TreeKey)
    /// What was written is no post; `fault` says why.
    case unreadable(id: TreeKey, fault: String)
    /// All posts were written at once: whoever shows any has to read them again.
    case replaced
}

extension PostReader {
    /// What a change of `posts/` means, write by write; nil for changes within a post, such as other renditions, and for all
    /// but the last write of a post that a client makes of pieces.
    ///
    /// - Parameters:
    ///   - change: A change as it is seen from `posts/`.
    ///   - numbers: Which writes of it.
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
            // Who deletes the last of what is in a post deletes the post.
            return try await exists(id) ? nil : .deleted(id: id)
        }
        // The change with which a post appeared is its position.
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
        // What we have published says so itself.
        if record["published"]?.integerValue == Int64(clamping: token.sequence) {
            return PostPosition(sequence: token.sequence)
        }
        return try await position(of: id)
    }
}
