package import API
import Model
package import Tree

/// The deliveries to the operator's address or program: pending ones and dead letters.
package struct Outbox: Sendable {
    private let tree: TreeStore
    private let clock: @Sendable () -> Timestamp

    /// - Parameter clock: Returns the current time.
    package init(_ tree: TreeStore, clock: @escaping @Sendable () -> Timestamp) {
        self.tree = tree
        self.clock = clock
    }

    /// Sets whether there is a recipient of deliveries; only then are new notifications added to the outbox.
    package func setOn(_ isOn: Bool) async throws {
        try await tree.transact { snapshot, update in
            guard try snapshot.exists(OutboxNodes.isOn()) != isOn else { return }
            update[OutboxNodes.isOn()] = isOn ? true : nil
        }
    }

    /// Returns a page of deliveries, sorted by recipient and position.
    ///
    /// - Parameters:
    ///   - isDead: Whether the page lists dead letters instead of pending deliveries.
    ///   - last: The delivery after which the page begins; nil for the first page.
    package func page(
        ofDead isDead: Bool, after last: DeliveryID?, limit: Int
    ) async throws -> (document: OutboxPageDocument, token: SyncToken) {
        try await tree.snapshot { snapshot in
            let root = isDead ? OutboxNodes.deadLetter() : OutboxNodes.entry()
            let place = TreePattern(root / "*" / "*")
            let nodes = try place.nodes(in: snapshot, after: last?.path(below: root), limit: limit + 1)
            let entries = try nodes.prefix(limit).compactMap { node throws(TreeError) -> OutboxEntry? in
                let keys = place.wildcards(of: node)
                guard let id = DeliveryID(position: keys[1], lane: keys[0]) else { return nil }
                return try OutboxEntry(id, below: root, in: snapshot)
            }
            let next = nodes.count > limit ? entries.last?.id.description : nil
            return (
                OutboxPageDocument(deliveries: entries.map { $0.document(isDead: isDead) }, next: next),
                try snapshot.token
            )
        }
    }

    /// Retries a delivery at once, with all attempts of a new one: a dead letter, or a pending delivery.
    ///
    /// - Throws: `Failure` with the code `not_found`.
    package func retry(_ id: DeliveryID) async throws -> (document: OutboxEntryDocument, token: SyncToken) {
        let now = clock()
        let (document, token) = try await tree.transact { snapshot, update in
            let dead = try OutboxEntry(id, below: OutboxNodes.deadLetter(), in: snapshot)
            guard let entry = try dead ?? OutboxEntry(id, below: OutboxNodes.entry(), in: snapshot) else {
                throw Self.missing
            }
            update[id.path(below: OutboxNodes.deadLetter())] = nil
            update[id.path(below: OutboxNodes.entry())] = entry.untried(at: now)
            update.add(try OutboxQueue.writes(for: id.lane, due: now, in: snapshot))
            return OutboxEntry(id, entry.untried(at: now)).document(isDead: false)
        }
        return (document, token)
    }

    /// The refusal of a delivery that does not exist.
    package static let missing = Failure(
        .notFound, "the delivery does not exist",
        hint: "It may have succeeded. List those that did not with GET /v1/outbox.")
}
