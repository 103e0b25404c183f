import TintypeModel

/// A node as the events of a stream have left it.
protocol ObservedNode: Sendable {
    associatedtype Snapshot: Sendable

    /// Takes over a change.
    mutating func apply(_ change: TreeChange)

    /// The present state.
    var snapshot: Snapshot { get }
}

/// A node as a value of any shape.
struct ObservedValue: ObservedNode {
    private var node = JSONValue.null

    mutating func apply(_ change: TreeChange) {
        for (path, value) in change.values { node.setNode(value, at: path) }
    }

    /// The value as the service sends it.
    var snapshot: JSONValue { node.sent }
}

/// A node as an entity.
struct ObservedEntity<Element: TreeEntity>: ObservedNode {
    let key: String
    private var value = ObservedValue()

    init(key: String) { self.key = key }

    mutating func apply(_ change: TreeChange) { value.apply(change) }

    var snapshot: Result<Element?, DecodingFault> {
        Result { () throws(DecodingFault) in try TreeCollection<Element>.entity(value.snapshot, key) }
    }
}

/// The children of a node as entities, in the order of a query. Only those that a change concerns are decoded.
struct ObservedChildren<Element: TreeEntity>: ObservedNode {
    private let order: TreeQuery.Order
    private var node = JSONValue.null
    private var decoded: [String: Result<Element, DecodingFault>] = [:]
    /// The positions of the decoded children, in their order.
    private var positions: [ChildPosition] = []
    /// The position of each decoded child by its key.
    private var positionsByKey: [String: ChildPosition] = [:]

    init(in order: TreeQuery.Order) { self.order = order }

    mutating func apply(_ change: TreeChange) {
        var changed: Set<String> = []
        for (path, value) in change.values {
            if let key = path.first {
                changed.insert(key)
                node.setNode(value, at: path)
            } else {
                let (old, new) = (node.object ?? [:], value.object ?? [:])
                for (key, child) in new where old[key] != child { changed.insert(key) }
                for key in old.keys where new[key] == nil { changed.insert(key) }
                node = value
            }
        }
        decode(changed)
    }

    var snapshot: TreeChildren<Element> {
        if node != .null, node.object == nil { return TreeChildren(node: node) }
        var (elements, faults) = ([Element](), [DecodingFault]())
        elements.reserveCapacity(positions.count)
        for position in positions {
            switch decoded[position.key] {
            case .success(let element): elements.append(element)
            case .failure(let fault): faults.append(fault)
            case nil: break
            }
        }
        return TreeChildren(elements: elements, faults: faults)
    }

    private mutating func decode(_ keys: Set<String>) {
        var moved: [ChildPosition] = []
        var outdated: Set<ChildPosition> = []
        for key in keys {
            let child = node[key]
            decoded[key] = child.map { child in
                Result { () throws(any Error) in try Element(node: child.sent, key: key) }
                    .mapError { DecodingFault($0, ofChild: key) }
            }
            let position = child.map { ChildPosition(key, $0, in: order) }
            guard position != positionsByKey[key] else { continue }
            if let old = positionsByKey.updateValue(position, forKey: key) { outdated.insert(old) }
            if let position { moved.append(position) }
        }
        if !outdated.isEmpty { positions.removeAll(where: outdated.contains) }
        if !moved.isEmpty { positions = Self.merged(positions, moved.sorted()) }
    }

    private static func merged(_ left: [ChildPosition], _ right: [ChildPosition]) -> [ChildPosition] {
        var result: [ChildPosition] = []
        result.reserveCapacity(left.count + right.count)
        var rest = right[...]
        for position in left {
            while let next = rest.first, next < position { result.append(rest.removeFirst()) }
            result.append(position)
        }
        return result + rest
    }
}

extension Dictionary {
    /// Sets the value of a key, or removes it with nil, and returns the previous one.
    fileprivate mutating func updateValue(_ value: Value?, forKey key: Key) -> Value? {
        defer { self[key] = value }
        return self[key]
    }
}
