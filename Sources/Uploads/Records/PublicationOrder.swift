import Model

/// The uploads that are published in the order in which they were begun: those of each user that have not ended.
///
/// The first upload of a user has its turn. A rendered upload behind it waits until those before it are finished.
struct PublicationOrder: Sendable {
    private var owners: [PostID: UserID] = [:]
    /// The uploads of each user by their ids, which sort in the order of their reservations.
    private var lines: [UserID: [PostID]] = [:]
    /// The rendered uploads that wait for their turn.
    private var waiting: [PostID: UploadRecord] = [:]

    /// Inserts an upload in the order of its owner's uploads.
    mutating func insert(_ id: PostID, of owner: UserID) {
        guard owners.updateValue(owner, forKey: id) == nil else { return }
        var line = lines.removeValue(forKey: owner) ?? []
        line.insert(id, at: line.lastIndex { $0 < id }.map { $0 + 1 } ?? 0)
        lines[owner] = line
    }

    /// Whether a rendered upload may be published; if not, keeps it until its turn.
    mutating func hasTurn(_ rendered: UploadRecord) -> Bool {
        guard owners[rendered.id] != nil, let first = lines[rendered.owner]?.first, first != rendered.id else {
            return true
        }
        waiting[rendered.id] = rendered
        return false
    }

    /// Removes an upload from the order.
    ///
    /// - Returns: The rendered uploads that no longer wait: itself, and the one behind it.
    mutating func remove(_ id: PostID) -> [UploadRecord] {
        guard let owner = owners.removeValue(forKey: id) else { return [] }
        let own = waiting.removeValue(forKey: id)
        lines[owner]?.removeAll { $0 == id }
        let next = lines[owner]?.first.flatMap { waiting.removeValue(forKey: $0) }
        if lines[owner]?.isEmpty == true { lines[owner] = nil }
        return [own, next].compactMap { $0 }
    }
}
