package import TreeModel

/// The stored keys of requests, which expire.
package struct RequestKeys: Sendable {
    /// The number of keys that one update deletes.
    private static let batch = 250

    private let tree: TreeStore
    private let nodes: RequestNodes

    package init(_ tree: TreeStore, at nodes: RequestNodes) {
        self.tree = tree
        self.nodes = nodes
    }

    /// Deletes the keys of requests before a time.
    package func forget(before deadline: Timestamp) async throws {
        while try await forgetSome(before: deadline) { try Task.checkCancellation() }
    }

    /// - Returns: Whether there may be more.
    private func forgetSome(before deadline: Timestamp) async throws -> Bool {
        try await tree.transact { [nodes] snapshot, update in
            let rows = try snapshot.children(of: nodes.order, limit: Self.batch)
            for row in rows {
                // The rows are in the order of their times.
                if let id = PushID(row.key.string), id.timestamp >= deadline { return false }
                update[nodes.order / row.key] = nil
                let parts = row.value.stringValue?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
                guard parts.count == 2 else { continue }
                let path = nodes.records / TreeKey(unchecked: parts[0]) / TreeKey(unchecked: parts[1])
                if RequestRecord(try snapshot.get(path))?.made == row.key { update[path] = nil }
            }
            return rows.count == Self.batch
        }.result
    }
}

extension RequestNodes {
    /// Deletes the request keys of an owner, up to a limit.
    ///
    /// - Returns: The number of deleted keys.
    package func forget(
        of owner: TreeKey, limit: Int, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> Int {
        let rows = try snapshot.children(of: records / owner, limit: limit)
        for row in rows {
            update[records / owner / row.key] = nil
            if let made = RequestRecord(row.value)?.made { update[order / made] = nil }
        }
        return rows.count
    }
}
