package import TreeModel

/// The nodes at which a store keeps the records of requests with keys.
///
///     records/{owner}/{key}  = a ``RequestRecord``
///     order/{id}             = the owner, and after a space the key
package struct RequestNodes: Sendable {
    /// The node of the records, by owner and key.
    let records: TreePath
    /// The node of the same in the order of their ids, which is that of their times.
    let order: TreePath

    package init(records: TreePath, order: TreePath) {
        self.records = records
        self.order = order
    }
}

/// The key of a request (`Idempotency-Key`), with which a repeated request has its effect only once. It is bound to the
/// content of the request, by a fingerprint.
///
/// Its record is written in the commit of the request's effect, so that both exist or neither does.
package struct RequestKey: Sendable {
    private let key: TreeKey
    private let owner: TreeKey
    private let fingerprint: String
    private let nodes: RequestNodes

    /// - Parameters:
    ///   - key: The key, which the owner has chosen.
    ///   - owner: The sender of the request, without spaces. Keys of different owners are different.
    ///   - fingerprint: The fingerprint of the request's content, without spaces.
    package init(_ key: TreeKey, of owner: TreeKey, for fingerprint: String, at nodes: RequestNodes) {
        self.key = key
        self.owner = owner
        self.fingerprint = fingerprint
        self.nodes = nodes
    }

    private var path: TreePath { nodes.records / owner / key }

    /// The condition that no request with this key has a record.
    var isNew: Precondition { .absent(path) }

    /// Returns the record of the request with this key; nil if there is none.
    ///
    /// - Throws: ``TreeError``, the engine's failure.
    package func record(in snapshot: TreeSnapshot) throws(TreeError) -> RequestRecord? {
        RequestRecord(try snapshot.get(path))
    }

    /// Whether a record is that of a request with the same content.
    package func isKey(of record: RequestRecord) -> Bool { record.fingerprint == fingerprint }

    /// Records the id of the node that the request creates, or an id of its own for a request that creates none.
    package func note(_ id: PushID, in update: inout MultiPathUpdate) {
        for (path, text) in writes(making: id) { update[path] = .string(text) }
    }

    /// Returns the writes that record the id of the node that the request creates; the record comes first.
    func writes(making id: PushID) -> [(path: TreePath, text: String)] {
        [(path, "\(fingerprint) \(id.key)"), (nodes.order / id, "\(owner) \(key)")]
    }
}

/// The record of a request with a key: its fingerprint, the id of the node that it created, and the numbers that the
/// store determined for it, if there are any. Spaces separate the three, and commas the numbers.
package struct RequestRecord: Sendable {
    let fingerprint: String
    /// The id of the created node, or one that only orders the records if the request created none.
    package let made: TreeKey
    /// The server values as encoded leaves, in the order of the request's writes.
    let serverValues: [[UInt8]]

    init?(_ value: TreeValue?) {
        let parts = value?.stringValue?.split(separator: " ").map(String.init) ?? []
        guard (2...3).contains(parts.count) else { return nil }
        (fingerprint, made) = (parts[0], TreeKey(unchecked: parts[1]))
        let numbers = parts.count == 3 ? parts[2].split(separator: ",") : []
        serverValues = numbers.compactMap { number in
            Int64(number).map { LeafEncoding.encode($0) } ?? Double(number).map { LeafEncoding.encode($0) }
        }
    }

    /// Returns the text that follows the id in a record for these resolved server values.
    static func text(ofServerValues leaves: [[UInt8]]) throws(TreeError) -> String {
        var numbers: [String] = []
        for leaf in leaves {
            switch try LeafEncoding.decode(leaf.span) {
            case .integer(let integer): numbers.append("\(integer)")
            case .double(let double): numbers.append("\(double)")
            default: throw TreeError.corrupt("a server value is not a number")
            }
        }
        return " " + numbers.joined(separator: ",")
    }
}
