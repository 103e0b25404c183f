import Model

/// The uploads that are published in the order in which they began: of each user those that have not ended.
///
/// The first of a user has its turn. Another one that is rendered is kept until those before it are gone.
struct PublicationOrder: Sendable {
    private var owners: [PostID: UserID] = [:]
    /// The uploads of each user, by their ids, which are in the order in which they were taken.
    private var lines: [UserID: [PostID]] = [:]
    /// The rendered uploads whose turn has not come.
    private var waiting: [PostID: UploadRecord] = [:]

    /// Adds an upload, at its place among its owner's.
    mutating func insert(_ id: PostID, of owner: UserID) {
        guard owners.updateValue(owner, forKey: id) == nil else { return }
        var line = lines.removeValue(forKey: owner) ?? []
        line.insert(id, at: line.lastIndex { $0 < id }.map { $0 + 1 } ?? 0)
        lines[owner] = line
    }

    /// Whether a rendered upload may be published; keeps it until its turn if it may not.
    mutating func hasTurn(_ rendered: UploadRecord) -> Bool {
        guard owners[rendered.id] != nil, let first = lines[rendered.owner]?.first, first != rendered.id else {
            return true
        }
        waiting[rendered.id] = rendered
        return false
    }

    /// Takes an upload out of its line.
    ///
    /// - Returns: The rendered uploads that wait no longer: the one behind it, and itself.
    mutating func remove(_ id: PostID) -> [UploadRecord] {
        guard let owner = owners.removeValue(forKey: id) else { return [] }
        let own = waiting.removeValue(forKey: id)
        lines[owner]?.removeAll { $0 == id }
        let next = lines[owner]?.first.flatMap { waiting.removeValue(forKey: $0) }
        if lines[owner]?.isEmpty == true { lines[owner] = nil }
        return [own, next].compactMap { $0 }
    }
}
