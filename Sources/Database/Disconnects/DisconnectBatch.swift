import Access
import Tree
import TreeModel

/// The writes that a client has stored for the end of its connection, combined into one update of several paths, so
/// that listeners receive them together, as one event.
struct DisconnectBatch {
    private let identity: Identity
    private let namespace: Namespace
    /// The values, by path.
    private var writes: [(path: TreePath, json: [UInt8])] = []

    /// Creates the batch; nil if the writes cannot be combined, because they have several identities or trees, concern
    /// priorities, or are more than one commit of a client should have, since all others wait for it.
    init?(_ records: [TreeValue]) {
        var byteCount = 0
        let read = records.map(DisconnectOperation.read)
        guard let first = read.first.flatMap(\.self) else { return nil }
        identity = first.identity
        namespace = first.operation.path.node.namespace
        for case let one? in read {
            guard one.identity == identity, !one.operation.path.isPriority,
                one.operation.path.node.namespace == namespace,
                let writes = one.operation.writes
            else { return nil }
            byteCount += one.operation.json.count
            guard byteCount <= DisconnectOperation.maxBytes else { return nil }
            self.writes += writes
        }
        guard read.allSatisfy({ $0 != nil }), !writes.isEmpty, writes.allSatisfy({ !$0.path.keys.isEmpty }) else {
            return nil
        }
    }

    /// Returns the update.
    ///
    /// - Throws: `TreeError`, with the code `conflicting_paths` or `invalid_json` if one path is at or below another.
    func update(mayUseTreesWithoutRules isOpen: Bool) throws(TreeError) -> JSONUpdate {
        var json: [UInt8] = []
        for (path, value) in writes {
            json.append(UInt8(ascii: json.isEmpty ? "{" : ","))
            JSONText.append(path.keys.map(\.string).joined(separator: "/").utf8.span, to: &json)
            json.append(UInt8(ascii: ":"))
            json += value
        }
        json.append(UInt8(ascii: "}"))
        var update = try JSONUpdate(.update, at: TreePath([], in: namespace), json: json)
        update.requester = identity.requester(mayUseTreesWithoutRules: isOpen)
        return update
    }
}

extension DisconnectOperation {
    /// The values that the operation writes; nil for a text that is not an update.
    fileprivate var writes: [(path: TreePath, json: [UInt8])]? {
        guard form == .update else { return [(path.node, json)] }
        guard case .object(let members)? = JSONValue(text: json) else { return nil }
        var writes: [(path: TreePath, json: [UInt8])] = []
        for (key, value) in members {
            guard let below = try? TreePath(key) else { return nil }
            writes.append((path.node.appending(below), value.text))
        }
        return writes
    }
}
