import Access
import Tree
import TreeModel

/// Writes that a client has left for the end of its connection, as one update of several places: whoever listens hears of them
/// together, as of one event.
struct DisconnectBatch {
    private let identity: Identity
    private let namespace: Namespace
    /// The values by their places.
    private var writes: [(path: TreePath, json: [UInt8])] = []

    /// Nil where the writes cannot be one: they are of several identities or trees, about priorities, or more than one client's
    /// commit should have, for all others wait for it.
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

    /// The update.
    ///
    /// - Throws: `TreeError`, with the code `conflicting_paths` or `invalid_json` where one place lies at or below another.
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
    /// The values that it writes; nil for a text that is no update.
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
