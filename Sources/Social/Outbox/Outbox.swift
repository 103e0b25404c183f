package import API
import Model
package import Tree

/// What is delivered to the operator's address or program: what waits, and what was given up.
package struct Outbox: Sendable {
    private let tree: TreeStore
    private let clock: @Sendable () -> Timestamp

    /// - Parameter clock: The present time.
    package init(_ tree: TreeStore, clock: @escaping @Sendable () -> Timestamp) {
        self.tree = tree
        self.clock = clock
    }

    /// Says whether there is anything to deliver to: from then on what people are told of is put into the outbox, or not.
    package func setOn(_ isOn: Bool) async throws {
        try await tree.transact { snapshot, update in
            guard try snapshot.exists(OutboxNodes.isOn()) != isOn else { return }
            update[OutboxNodes.isOn()] = isOn ? true : nil
        }
    }

    /// A page of deliveries, by their recipients, and of each in their order.
    ///
    /// - Parameters:
    ///   - isDead: Whether it is of those that were given up, or of those that wait.
    ///   - last: The delivery behind which the page begins; nil for the first.
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

    /// Has a delivery tried again at once, as often as a new one: one that was given up, or one that waits for its time.
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
            update[id.path(below: OutboxNodes.entry())] = entry.untried
            update.add(try OutboxQueue.writes(for: id.lane, due: now, in: snapshot))
            return OutboxEntry(id, entry.untried).document(isDead: false)
        }
        return (document, token)
    }

    /// The refusal of a delivery that there is not.
    package static let missing = Failure(
        .notFound, "there is no such delivery", hint: "it may have succeeded; GET /v1/outbox lists those that did not")
}
