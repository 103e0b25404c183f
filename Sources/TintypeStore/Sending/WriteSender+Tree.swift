import TintypeClient
import TintypeModel

extension WriteSender {
    /// Writes values of the tree, unless somebody else has changed the node since.
    func send(_ write: TreeWrite, _ queued: QueuedWrite) async throws -> Attempt {
        let node = client.tree(write.path)
        guard let base = write.base else { return try await put(write, node, etag: nil, queued.key) }
        for _ in 0..<5 {
            let present = try await node.value()
            let read = try Self.done(present)
            guard present.value == base else {
                // The answer to an earlier attempt may have been lost.
                return write.isDone(in: present.value) ? read : .conflict(present.value)
            }
            do { return try await put(write, node, etag: present.etag, queued.key) } catch is ConditionFailed {}
        }
        return .rest(nil)
    }

    private func put(
        _ write: TreeWrite, _ node: TreeReference, etag: String?, _ key: String
    ) async throws -> Attempt {
        if let value = write.values[""] {
            return value == .null
                ? try Self.done(await node.remove(ifMatch: etag, idempotencyKey: key))
                : try Self.done(await node.set(value, ifMatch: etag, idempotencyKey: key))
        }
        let conditions = etag.map { ["": $0] } ?? [:]
        return try Self.done(await node.update(write.values, ifMatch: conditions, idempotencyKey: key))
    }
}

extension TreeWrite {
    /// Whether a value of the node has all values of the write.
    fileprivate func isDone(in node: JSONValue) -> Bool {
        values.allSatisfy { path, value in
            path.split(separator: "/").reduce(node) { $0[String($1)] ?? .null } == value
        }
    }
}
