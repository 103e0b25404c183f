/// The derivations of a store, by the nodes that they follow, in strata: those of one see what those before it have
/// written.
///
/// An update that touches none of these nodes costs a comparison of keys for each place. One that touches a node costs
/// two searches and what the derivations read.
struct Derivations: Sendable {
    /// The nodes of one pattern, and what follows from them in one stratum.
    private struct Place: Sendable {
        let stratum: Int
        /// What the keys of the tree begin with.
        let prefix: [UInt8]
        let pattern: PathPattern
        var derivations: [any Derivation]

        var depth: Int { pattern.elements.count }

        /// Whether a write is at, above or below a node of the place.
        func mayConcern(_ node: SegmentedKey) -> Bool {
            node.prefix.elementsEqual(prefix) && pattern.matches(node)
        }
    }

    private let places: [Place]
    let strataCount: Int

    init(_ strata: [[any Derivation]]) {
        var places: [Place] = []
        for (stratum, derivations) in strata.enumerated() {
            for derivation in derivations {
                let place = Place(
                    stratum: stratum, prefix: StoreFormat.prefix(of: derivation.place.path.namespace),
                    pattern: derivation.place.elements, derivations: [derivation])
                let known = places.firstIndex {
                    $0.stratum == stratum && $0.prefix == place.prefix && $0.pattern == place.pattern
                }
                if let known { places[known].derivations.append(derivation) } else { places.append(place) }
            }
        }
        self.places = places
        strataCount = strata.count
    }

    /// Whether anything may be derived from what a write changes.
    func concern(_ write: EncodedWrite) throws(TreeError) -> Bool {
        guard !write.isPriority else { return false }
        let node = try SegmentedKey(write.key)
        return places.contains { $0.mayConcern(node) }
    }

    // MARK: Before

    /// The nodes of each place that an update may change, as they are before it.
    struct Touched {
        fileprivate struct Node {
            let key: [UInt8]
            let state: NodeState
            var isPartOfMore: Bool
        }

        fileprivate struct Nodes {
            /// In key order, by the keys of rows at them.
            var before: [Node] = []
            /// The rows that are replaced above the nodes, in key order.
            var ranges: [ByteRange] = []
        }

        fileprivate var nodes: [Nodes]
    }

    /// Nothing is touched yet.
    var untouched: Touched { Touched(nodes: Array(repeating: Touched.Nodes(), count: places.count)) }

    /// Takes down the nodes that a write may change, as they are before it is applied.
    ///
    /// - Parameter stratum: The first stratum that is to see the write.
    func touch(
        _ write: EncodedWrite, from stratum: Int, in snapshot: any EngineSnapshot, _ touched: inout Touched
    ) throws(TreeError) {
        guard !write.isPriority, !places.isEmpty else { return }
        let node = try SegmentedKey(write.key)
        // A node may be of several places.
        var states = NodeStates()
        for (index, place) in places.enumerated() where place.stratum >= stratum && place.mayConcern(node) {
            if node.depth >= place.depth {
                let key = node.ancestor(atDepth: place.depth)
                try touched.nodes[index].insert(key, isPartOfMore: false, &states, in: snapshot)
                continue
            }
            let range = ByteRange.subtree(write.key)
            var keys: [[UInt8]] = []
            try place.pattern.forEachNode(in: range, below: place.prefix.count, of: snapshot) { key, _ in
                keys.append(key)
            }
            for key in keys { try touched.nodes[index].insert(key, isPartOfMore: true, &states, in: snapshot) }
            if !write.rows.isEmpty { touched.nodes[index].ranges.append(range) }
        }
    }

    // MARK: After

    /// Calls a function with the writes that follow, in one stratum, from what has been touched.
    ///
    /// - Parameter states: What is known of nodes, since the last write that others follow.
    func derive(
        _ stratum: Int, from touched: Touched, _ states: inout NodeStates, at commit: CommitPoint,
        in snapshot: TreeSnapshot, _ apply: (TreeWrite) throws(TreeError) -> Void
    ) throws(TreeError) {
        for (index, place) in places.enumerated() where place.stratum == stratum {
            var number = 0
            try touched.nodes[index].forEach(of: place.pattern, below: place.prefix.count, in: snapshot.engine) {
                old throws(TreeError) in
                let after = try states.state(at: old.key, in: snapshot.engine)
                guard old.state.isThere || after.isThere else { return }
                let node = ChangedNode(
                    keys: try place.pattern.wildcardKeys(in: try SegmentedKey(old.key)), before: old.state,
                    after: after, number: number, isPartOfMore: old.isPartOfMore)
                number += 1
                for derivation in place.derivations {
                    for write in try derivation.writes(for: node, at: commit, in: snapshot) { try apply(write) }
                }
            }
        }
    }
}

extension Derivations.Touched.Nodes {
    /// Takes a node down, unless it has been.
    fileprivate mutating func insert(
        _ key: [UInt8], isPartOfMore: Bool, _ states: inout NodeStates, in snapshot: any EngineSnapshot
    ) throws(TreeError) {
        var (low, high) = (0, before.count)
        // Mostly they come in key order.
        if let last = before.last?.key, last.span.precedes(key.span) { low = high }
        while low < high {
            let middle = (low + high) / 2
            let found = before[middle].key
            if found.span.precedes(key.span) { low = middle + 1 } else { high = middle }
        }
        if low < before.count, before[low].key == key {
            if !isPartOfMore { before[low].isPartOfMore = false }
            return
        }
        // What a replaced range has that was not taken down with it has come with it: a derivation writes there now.
        let isNew = ranges.contains { !key.span.precedes($0.lower.span) && key.span.precedes($0.upper.span) }
        let state = isNew ? .nothing : try states.state(at: key, in: snapshot)
        before.insert(Derivations.Touched.Node(key: key, state: state, isPartOfMore: isPartOfMore), at: low)
    }

    /// Visits the nodes that were there and those that are there now, in key order, each with what was there.
    fileprivate func forEach(
        of pattern: PathPattern, below prefixLength: Int, in snapshot: any EngineSnapshot,
        _ visit: (Derivations.Touched.Node) throws(TreeError) -> Void
    ) throws(TreeError) {
        var rest = before[...]
        func visitRest(before end: [UInt8]) throws(TreeError) {
            while let first = rest.first, first.key.span.precedes(end.span) {
                rest.removeFirst()
                try visit(first)
            }
        }
        for range in ranges {
            try pattern.forEachNode(in: range, below: prefixLength, of: snapshot) { key, _ throws(TreeError) in
                try visitRest(before: key)
                if let known = rest.first, known.key == key {
                    rest.removeFirst()
                    try visit(known)
                } else {
                    try visit(Derivations.Touched.Node(key: key, state: .nothing, isPartOfMore: true))
                }
            }
        }
        for node in rest { try visit(node) }
    }
}

/// What stands at some nodes in one state of the tree, so that it is looked up once.
struct NodeStates {
    /// The most nodes of which it is kept.
    private static let maxCount = 1000

    private var known: [[UInt8]: NodeState] = [:]

    mutating func state(at key: [UInt8], in snapshot: any EngineSnapshot) throws(TreeError) -> NodeState {
        if let state = known[key] { return state }
        let state = try NodeState(at: key, in: snapshot)
        if known.count < Self.maxCount { known[key] = state }
        return state
    }
}

extension NodeState {
    /// What stands at the node of a key.
    fileprivate init(at key: [UInt8], in snapshot: any EngineSnapshot) throws(TreeError) {
        guard let first = try snapshot.firstKey(in: .subtree(key), reverse: false) else {
            self = .nothing
            return
        }
        if first == key, let leaf = try snapshot.value(for: key) {
            self = .leaf(try LeafEncoding.decode(leaf.span))
        } else {
            self = .object
        }
    }
}

extension PathPattern {
    /// The keys that the wildcards stand for at a node that matches.
    fileprivate func wildcardKeys(in node: SegmentedKey) throws(TreeError) -> [TreeKey] {
        var keys: [TreeKey] = []
        for (index, element) in elements.enumerated() where element == .any {
            keys.append(try PathEncoding.decode(Array(node.segment(index)).span))
        }
        return keys
    }
}
