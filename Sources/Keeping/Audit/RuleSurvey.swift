import Model
import Tree

/// Checks invariants on the nodes to which they apply.
struct RuleSurvey: StoreCheckSurvey {
    /// The lists with small entries; the entries are read together with the keys.
    private static let small: Set = [
        PostNodes.post(), AudienceNodes.post(), PostNodes.position(), PostNodes.published(), UploadNodes.queued(),
        UploadNodes.ended(),
        ObjectNodes.file(),
    ]

    private let place: TreePattern
    /// The invariants, each with the keys from the nodes of the pattern down to those of the invariant.
    private let rules: [(rule: TreeInvariant, rest: [TreeKey])]
    private let tree: TreeStore
    private var last: TreePath?
    private var isAtEnd = false

    private init(_ place: TreePattern, _ rules: [(TreeInvariant, [TreeKey])], in tree: TreeStore) {
        (self.place, self.rules, self.tree) = (place, rules, tree)
    }

    /// Creates the surveys for some invariants.
    ///
    /// - Parameter inOrder: Whether the nodes of each invariant are completed before those of the next, because a
    ///   repair by one affects the next; otherwise the invariants on one list share a single pass over it.
    static func surveys(by rules: [TreeInvariant], inOrder: Bool, of tree: TreeStore) -> [any StoreCheckSurvey] {
        guard !inOrder else { return rules.map { RuleSurvey($0.place, [($0, [])], in: tree) } }
        var surveys: [any StoreCheckSurvey] = []
        var together: [(place: TreePattern, rules: [(TreeInvariant, [TreeKey])])] = []
        for rule in rules {
            guard let (list, rest) = rule.list else {
                surveys.append(RuleSurvey(rule.place, [(rule, [])], in: tree))
                continue
            }
            let place = TreePattern(list / "*")
            if let index = together.firstIndex(where: { $0.place == place }) {
                together[index].rules.append((rule, rest))
            } else {
                together.append((place, [(rule, rest)]))
            }
        }
        return together.map { RuleSurvey($0.place, $0.rules, in: tree) } + surveys
    }

    mutating func next() async throws -> StoreCheckPage? {
        guard !isAtEnd else { return nil }
        let (place, rules, last) = (place, rules, last)
        let lists = place.path.parent.map { Self.small.contains($0) ? [$0] : [] } ?? []
        let (page, end) = try await tree.snapshot(size: .large, remembering: lists) { snapshot in
            var page = StoreCheckPage()
            let nodes = try Self.nodes(of: place, after: last, in: snapshot)
            for node in nodes {
                for (rule, rest) in rules {
                    try page.findings += rule.findings(atOrBelow: node, rest, in: snapshot)
                }
            }
            return (page, nodes.count == Self.pageSize ? nodes.last : nil)
        }
        (self.last, isAtEnd) = (end, end == nil)
        return page
    }

    private static func nodes(
        of place: TreePattern, after last: TreePath?, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreePath] {
        guard let list = place.path.parent, small.contains(list) else {
            return try place.nodes(in: snapshot, after: last, limit: pageSize)
        }
        let range = last?.lastKey.map { KeyRange.after($0) } ?? .all
        return try snapshot.children(of: list, range: range, limit: pageSize).map { list / $0.key }
    }
}

extension TreeInvariant {
    /// The list whose entries, or fixed paths below whose entries, the invariant applies to; nil if there is none.
    var list: (list: TreePath, rest: [TreeKey])? {
        let keys = place.path.keys
        guard let index = keys.firstIndex(of: "*"), !keys[(index + 1)...].contains("*") else { return nil }
        return (TreePath(Array(keys[..<index]), in: place.path.namespace), Array(keys[(index + 1)...]))
    }

    /// The faults of an entry of the invariant's list, or of the node at the given keys below it.
    func findings(
        atOrBelow entry: TreePath, _ rest: [TreeKey], in snapshot: TreeSnapshot
    ) throws(TreeError) -> [Finding] {
        guard !rest.isEmpty else { return try findings(at: entry, in: snapshot) }
        let node = TreePath(entry.keys + rest, in: entry.namespace)
        return try snapshot.exists(node) ? try findings(at: node, in: snapshot) : []
    }
}
