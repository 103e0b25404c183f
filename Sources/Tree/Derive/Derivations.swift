/// The derivations of a store, by the nodes that they follow, in strata: those of one see what those before it have
/// written.
///
/// A write that is not near any of these nodes costs a look at what their keys begin with. One that touches a node costs two
/// searches and what the derivations read.
struct Derivations: Sendable {
    /// The nodes of one pattern, and what follows from them in one stratum.
    private struct Pattern: Sendable {
        let stratum: Int
        let nodes: KeyPattern
        var derivations: [any Derivation]
    }

    private let patterns: [Pattern]
    private let beginnings: KeyBeginnings
    let strataCount: Int

    init(_ strata: [[any Derivation]]) {
        var patterns: [Pattern] = []
        for (stratum, derivations) in strata.enumerated() {
            for derivation in derivations {
                let nodes = KeyPattern(derivation.place)
                if let known = patterns.firstIndex(where: { $0.stratum == stratum && $0.nodes == nodes }) {
                    patterns[known].derivations.append(derivation)
                } else {
                    patterns.append(Pattern(stratum: stratum, nodes: nodes, derivations: [derivation]))
                }
            }
        }
        self.patterns = patterns
        beginnings = KeyBeginnings(Set(patterns.map(\.nodes.beginning)))
        strataCount = strata.count
    }

    /// Whether anything may be derived from what a write changes.
    func concern(_ write: EncodedWrite) throws(TreeError) -> Bool {
        guard !write.isPriority, beginnings.mayConcern(write.key.span) else { return false }
        let node = try SegmentedKey(write.key)
        return patterns.contains { $0.nodes.mayConcern(node) }
    }

    /// About how many writes follow from an update, as far as what it writes says so.
    ///
    /// - Parameter limit: The number beyond which nothing is counted any more.
    func writeCount(for writes: [EncodedWrite], upTo limit: Int) throws(TreeError) -> Int {
        var count = 0
        // The last node of each place: rows come in key order.
        var last = [[UInt8]?](repeating: nil, count: patterns.count)
        func add(_ key: [UInt8], _ leaf: TreeValue?) throws(TreeError) {
            let node = try SegmentedKey(key)
            for (index, place) in patterns.enumerated()
            where node.depth >= place.nodes.depth && place.nodes.mayConcern(node) {
                let ancestor = node.ancestor(atDepth: place.nodes.depth)
                guard last[index] != ancestor else { continue }
                last[index] = ancestor
                let value = node.depth == place.nodes.depth ? leaf : nil
                for derivation in place.derivations { count += derivation.writeCount(for: value) }
            }
        }
        for write in writes where !write.isPriority && count <= limit {
            guard try concern(write) else { continue }
            if write.rows.isEmpty { try add(write.key, nil) }
            try write.rows.forEach { path, leaf throws(TreeError) in
                guard path.count == 0 || path[path.count - 1] != PathEncoding.priorityTag else { return true }
                try add(write.key + path.copied, LeafEncoding.isServerValue(leaf) ? nil : LeafEncoding.decode(leaf))
                return count <= limit
            }
        }
        return count
    }

    // MARK: Before

    /// The nodes of each place that an update may change, as they are before it.
    struct Touched {
        fileprivate var nodes: [TouchedNodes]
    }

    /// Nothing is touched yet.
    var untouched: Touched { Touched(nodes: Array(repeating: TouchedNodes(), count: patterns.count)) }

    /// Takes down the nodes that a write may change, as they are before it is applied.
    ///
    /// - Parameter stratum: The first stratum that is to see the write.
    func touch(
        _ write: EncodedWrite, from stratum: Int, in snapshot: any EngineSnapshot, _ touched: inout Touched
    ) throws(TreeError) {
        guard !write.isPriority, beginnings.mayConcern(write.key.span) else { return }
        let node = try SegmentedKey(write.key)
        // A node may be of several patterns.
        var states = NodeStates()
        for (index, place) in patterns.enumerated() where place.stratum >= stratum && place.nodes.mayConcern(node) {
            if node.depth >= place.nodes.depth {
                let key = node.ancestor(atDepth: place.nodes.depth)
                try touched.nodes[index].insert(key, isPartOfMore: false, &states, in: snapshot)
                continue
            }
            let range = ByteRange.subtree(write.key)
            var keys: [[UInt8]] = []
            try place.nodes.forEach(in: range, of: snapshot) { keys.append($0) }
            for key in keys { try touched.nodes[index].insert(key, isPartOfMore: true, &states, in: snapshot) }
            if !write.rows.isEmpty { touched.nodes[index].insert(replaced: range) }
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
        for (index, place) in patterns.enumerated() where place.stratum == stratum {
            var number = 0
            try touched.nodes[index].forEach(of: place.nodes, in: snapshot.engine) { old throws(TreeError) in
                let after = try states.state(at: old.key, in: snapshot.engine)
                guard old.state.isThere || after.isThere else { return }
                let node = ChangedNode(
                    keys: try place.nodes.wildcardKeys(in: try SegmentedKey(old.key)), before: old.state,
                    after: after, number: number, isPartOfMore: old.isPartOfMore)
                number += 1
                for derivation in place.derivations {
                    for write in try derivation.writes(for: node, at: commit, in: snapshot) { try apply(write) }
                }
            }
        }
    }
}
