/// The derivations of a store, by the nodes that they follow, in strata: each stratum sees the writes of those before
/// it.
///
/// A write that is not near any of these nodes costs only a comparison with the beginnings of their keys. A write that
/// touches a node costs two searches and the reads of the derivations.
struct Derivations: Sendable {
    /// The nodes of one pattern, and the derivations of one stratum that follow them.
    private struct Pattern: Sendable {
        let stratum: Int
        let nodes: KeyPattern
        var derivations: [any Derivation]

        /// Whether a derivation uses whether the content of the nodes has changed.
        var followsContent: Bool { derivations.contains { $0.followsContent } }
    }

    private let patterns: [Pattern]
    private let beginnings: KeyBeginnings
    private let followsContent: Bool
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
        followsContent = patterns.contains { $0.followsContent }
        strataCount = strata.count
    }

    /// Whether a write may affect derived data.
    func concern(_ write: EncodedWrite) throws(TreeError) -> Bool {
        guard !write.isPriority, beginnings.mayConcern(write.key.span) else { return false }
        let node = try SegmentedKey(write.key)
        return patterns.contains { $0.nodes.mayConcern(node) }
    }

    /// Returns the approximate number of writes that follow from an update, as far as its own writes determine it.
    ///
    /// - Parameter limit: The number at which counting stops.
    func writeCount(for writes: [EncodedWrite], upTo limit: Int) throws(TreeError) -> Int {
        var count = 0
        // The last node of each pattern; rows are in key order.
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

    /// The nodes of each pattern that an update may change, in their state before the update.
    struct Touched {
        fileprivate var nodes: [TouchedNodes]
    }

    /// The initial value, with no nodes.
    var untouched: Touched { Touched(nodes: Array(repeating: TouchedNodes(), count: patterns.count)) }

    /// Records the nodes that a write may change, before the write is applied.
    ///
    /// - Parameter stratum: The first stratum that sees the write.
    func touch(
        _ write: EncodedWrite, from stratum: Int, in snapshot: any EngineSnapshot, _ touched: inout Touched
    ) throws(TreeError) {
        guard !write.isPriority, beginnings.mayConcern(write.key.span) else { return }
        let node = try SegmentedKey(write.key)
        // A node may match several patterns.
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
            if place.followsContent {
                for key in try write.changedNodes(among: keys, in: snapshot) {
                    touched.nodes[index].insert(changed: key)
                }
            }
            if !write.rows.isEmpty { touched.nodes[index].insert(replaced: range) }
        }
    }

    // MARK: After

    /// Records that a write, which is at or below a followed node, has changed something.
    func noteChange(by write: EncodedWrite, _ touched: inout Touched) throws(TreeError) {
        guard followsContent, !write.isPriority, beginnings.mayConcern(write.key.span) else { return }
        let node = try SegmentedKey(write.key)
        for (index, place) in patterns.enumerated()
        where place.followsContent && node.depth >= place.nodes.depth && place.nodes.mayConcern(node) {
            touched.nodes[index].insert(changed: node.ancestor(atDepth: place.nodes.depth))
        }
    }

    /// Calls a function with the writes that one stratum derives from the touched nodes.
    ///
    /// - Parameter states: A cache of node states, valid since the last write that derivations follow.
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
                    after: after, number: number, isPartOfMore: old.isPartOfMore,
                    hasChanged: touched.nodes[index].hasChanged(old.key))
                number += 1
                for derivation in place.derivations {
                    for write in try derivation.writes(for: node, at: commit, in: snapshot) { try apply(write) }
                }
            }
        }
    }
}
