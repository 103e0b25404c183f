import Model
import Tree

/// Looks by rules at the nodes for which they hold.
struct RuleSurvey: StoreCheckSurvey {
    /// The lists whose entries are small: they are read with them.
    private static let small: Set = [
        PostNodes.post(), AudienceNodes.post(), PostNodes.position(), PostNodes.published(), UploadNodes.queued(),
        UploadNodes.ended(),
        ObjectNodes.file(),
    ]

    private let place: TreePattern
    /// The rules, with the keys that follow behind the nodes of the place.
    private let rules: [(rule: TreeInvariant, rest: [TreeKey])]
    private let tree: TreeStore
    private var last: TreePath?
    private var isAtEnd = false

    private init(_ place: TreePattern, _ rules: [(TreeInvariant, [TreeKey])], in tree: TreeStore) {
        (self.place, self.rules, self.tree) = (place, rules, tree)
    }

    /// The surveys that look by all of some rules.
    ///
    /// - Parameter inOrder: Whether each rule's nodes are gone through before those of the next, as what is mended by one is
    ///   to be right for the next; else rules of the same list go through it together.
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
    /// The list whose entries are the places of the rule, or have them at the same keys below; nil for other places.
    var list: (list: TreePath, rest: [TreeKey])? {
        let keys = place.path.keys
        guard let index = keys.firstIndex(of: "*"), !keys[(index + 1)...].contains("*") else { return nil }
        return (TreePath(Array(keys[..<index]), in: place.path.namespace), Array(keys[(index + 1)...]))
    }

    /// What is wrong with a node of the rule's list, or what is there at the keys below it.
    func findings(
        atOrBelow entry: TreePath, _ rest: [TreeKey], in snapshot: TreeSnapshot
    ) throws(TreeError) -> [Finding] {
        guard !rest.isEmpty else { return try findings(at: entry, in: snapshot) }
        let node = TreePath(entry.keys + rest, in: entry.namespace)
        return try snapshot.exists(node) ? try findings(at: node, in: snapshot) : []
    }
}
