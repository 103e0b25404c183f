import Rules
import Synchronization

/// The parsed rules of one tree.
struct TreeRules: Sendable {
    let version: UInt64
    let document: RulesDocument
    /// The indexes that are ready or being built.
    let indexes: [Index]
    let expiries: [RulesCatalog.Expiry]
    private let beginnings: KeyBeginnings

    /// Reads the rules in a state of the store; nil if the tree has none.
    init?(of namespace: Namespace, catalog row: [UInt8], in snapshot: any EngineSnapshot) throws(TreeError) {
        let catalog = try RulesCatalog(row: row.span)
        guard let text = try snapshot.value(for: Self.textKey(of: namespace)) else { return nil }
        do {
            document = try RulesDocument(stored: text.span.text)
        } catch {
            throw TreeError(
                .unreadableRules, "the rules of the database cannot be read: \(error.message)",
                hint: "Store them again with tintype rules set FILE.", cause: error)
        }
        version = catalog.version
        indexes = catalog.indexes.filter { $0.state != .dropped }
        expiries = catalog.expiries
        let prefix = StoreFormat.prefix(of: namespace)
        beginnings = KeyBeginnings(
            Set((indexes.map(\.parents) + expiries.map(\.nodes)).map { $0.beginning(behind: prefix) }))
    }

    /// Returns the node of a key if the rules define an index or a time to live at the node, above it or below it; nil
    /// otherwise.
    func concernedNode(of key: [UInt8]) throws(TreeError) -> SegmentedKey? {
        guard beginnings.mayConcern(key.span) else { return nil }
        let node = try SegmentedKey(key)
        let isConcerned = indexes.contains { $0.parents.matches(node) } || expiries.contains { $0.nodes.matches(node) }
        return isConcerned ? node : nil
    }

    /// Returns the key of the row that holds a rules document.
    static func textKey(of namespace: Namespace) -> [UInt8] { StoreFormat.metaKey("rules", of: namespace) }
}

/// The parsed rules of all trees, cached on first use.
///
/// The catalog in each state of the store contains the version of its rules. A read of an old state, or a write just
/// after a change, therefore uses the right rules.
final class RulesCache: Sendable {
    private let cached = Mutex<[Namespace: TreeRules]>([:])

    /// Returns the rules of a tree in a state of the store; nil if it has none, which costs one search.
    func rules(of namespace: Namespace, in snapshot: any EngineSnapshot) throws(TreeError) -> TreeRules? {
        guard let row = try snapshot.value(for: RulesCatalog.key(of: namespace)) else { return nil }
        let version = try RulesCatalog.version(ofRow: row.span)
        if let rules = cached.withLock({ $0[namespace] }), rules.version == version { return rules }
        guard let rules = try TreeRules(of: namespace, catalog: row, in: snapshot) else { return nil }
        cached.withLock { cached in
            if (cached[namespace]?.version ?? 0) < version { cached[namespace] = rules }
        }
        return rules
    }

    /// Returns the index that a query needs.
    ///
    /// - Throws: ``TreeError`` with code `index_not_defined`.
    func index(
        for query: EncodedQuery, at path: TreePath, in snapshot: any EngineSnapshot
    ) throws(TreeError) -> Index {
        guard let rules = try rules(of: path.namespace, in: snapshot),
            let (node, pattern) = try rules.document.root.node(at: try SegmentedKey(StoreFormat.dataKey(path))),
            node.indexes.contains(where: { ChildOrder($0) == query.order }),
            let index = rules.indexes.first(where: { $0.parents == pattern && $0.order == query.order })
        else { throw query.indexNotDefined(at: path) }
        return index
    }
}

extension EncodedQuery {
    fileprivate func indexNotDefined(at path: TreePath) -> TreeError {
        TreeError(
            .indexNotDefined,
            "Index not defined, add \".indexOn\": \(indexJSON), for path \"\(path)\", to the rules", path: path)
    }

    /// The value of `.indexOn` for this query's order.
    private var indexJSON: String {
        guard case .children(let paths) = query.order else { return "\".value\"" }
        let names = paths.map { path in
            var json: [UInt8] = []
            JSONText.append(path.keys.map(\.string).joined(separator: "/").utf8.span, to: &json)
            return json.span.text
        }
        return names.count == 1 ? names[0] : "[[\(names.joined(separator: ","))]]"
    }
}
