import Access
import Tree
import TreeModel

/// Writes that a client has left for the end of its connection, as one update of several places: whoever listens hears of them
/// together, as of one event.
struct DisconnectBatch {
    private let identity: Identity
    private let namespace: Namespace
    /// What is written, in order; no place lies at or below another.
    private var writes: [(path: TreePath, json: [UInt8])] = []

    /// Nil where the writes cannot be one: they are of several identities or trees, about priorities, or one lies at or below
    /// another.
    init?(_ records: [TreeValue]) {
        let read = records.map(DisconnectOperation.read)
        guard let first = read.first.flatMap(\.self) else { return nil }
        identity = first.identity
        namespace = first.operation.path.node.namespace
        for case let one? in read {
            guard one.identity == identity, !one.operation.path.isPriority,
                one.operation.path.node.namespace == namespace,
                let writes = one.operation.writes
            else { return nil }
            for write in writes {
                guard !self.writes.contains(where: { $0.path.touches(write.path) }) else { return nil }
                self.writes.append(write)
            }
        }
        guard read.allSatisfy({ $0 != nil }), !writes.isEmpty, writes.allSatisfy({ !$0.path.keys.isEmpty }) else {
            return nil
        }
    }

    /// The update.
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

extension TreePath {
    /// Whether one of two paths is the other, or lies below it.
    fileprivate func touches(_ other: TreePath) -> Bool {
        self == other || isAncestor(of: other) || other.isAncestor(of: self)
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
