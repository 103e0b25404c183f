import Synchronization
import TintypeModel

/// The posts that a window has decoded, so that it decodes only what has changed.
final class PostCache: Sendable {
    private struct Entry {
        let bytes: [UInt8]
        let post: Post
    }

    private let entries = Mutex<[Post.ID: Entry]>([:])

    /// Returns a post as the service knows it; nil if the device does not have it.
    func post(_ id: Post.ID, in records: AccountRecords) throws -> Post? {
        guard let bytes = try records.value(AccountRecords.Table.entity, Subject.post(id).key) else { return nil }
        if let known = entries.withLock({ $0[id] }), known.bytes == bytes { return known.post }
        guard let post = try? StoredEntity<Post>(bytes: bytes).value else { return nil }
        entries.withLock { $0[id] = Entry(bytes: bytes, post: post) }
        return post
    }

    /// Forgets all but some posts.
    func keep(_ ids: Set<Post.ID>) { entries.withLock { $0 = $0.filter { ids.contains($0.key) } } }
}
