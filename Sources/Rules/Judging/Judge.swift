import TreeModel

/// Finds the rules on the path to a node, and evaluates them.
struct Judge: ~Copyable {
    private var evaluator: Evaluator
    /// The rules of the nodes on the path, as far as there are any, followed by those of the descendants while these
    /// are visited.
    private var trail: [RulesNode]
    private let depth: Int
    private let isTraced: Bool
    private(set) var evaluations: [RulesTrace.Evaluation] = []

    init(_ root: RulesNode, at path: [String], _ evaluator: consuming Evaluator, isTraced: Bool = false) {
        self.evaluator = evaluator
        self.isTraced = isTraced
        depth = path.count
        trail = [root]
        var node = root
        for key in path {
            guard let child = node.child(for: key) else { break }
            trail.append(child)
            node = child
        }
    }

    /// Whether a rule is true at the node at a depth.
    private mutating func isTrue(_ rule: Rule, at depth: Int) throws(TreeError) -> Bool {
        evaluator.depth = depth
        guard isTraced else { return try evaluator.isTrue(rule.program) }
        evaluator.trace = []
        let isTrue = try evaluator.isTrue(rule.program)
        let nodes = Array(trail.prefix(depth + 1))
        evaluations.append(
            RulesTrace.Evaluation(
                rule, at: Array(evaluator.path.prefix(depth)), nodes, isTrue, evaluator.trace ?? []))
        return isTrue
    }

    private func verdict(_ isAllowed: Bool, by rule: Rule, at depth: Int) -> RulesVerdict {
        let nodes = depth + 1 < trail.count ? Array(trail.prefix(depth + 1)) : trail
        return RulesVerdict(isAllowed: isAllowed, rule: rule, trail: nodes)
    }

    mutating func read() throws(TreeError) -> RulesVerdict {
        for level in trail.indices {
            if let rule = trail[level].read, try isTrue(rule, at: level) { return verdict(true, by: rule, at: level) }
        }
        return RulesVerdict(isAllowed: false)
    }

    mutating func write() throws(TreeError) -> RulesVerdict {
        guard let grant = try grant(), let rule = trail[grant].write else { return RulesVerdict(isAllowed: false) }
        let granted = verdict(true, by: rule, at: grant)
        evaluator.depth = depth
        let isDeletion = try !evaluator.newData().exists()
        for level in trail.indices {
            // Once a deletion is granted, no value has to be valid.
            guard !isDeletion || level < grant else { return granted }
            if let refusal = try refusal(at: level) { return refusal }
        }
        guard trail.count == depth + 1 else { return granted }
        return try refusalBelow() ?? granted
    }

    /// Returns the first level whose `.write` is true.
    private mutating func grant() throws(TreeError) -> Int? {
        for level in trail.indices {
            if let rule = trail[level].write, try isTrue(rule, at: level) { return level }
        }
        return nil
    }

    /// Returns the refusal by the `.validate` of a node, if the node exists.
    private mutating func refusal(at level: Int) throws(TreeError) -> RulesVerdict? {
        guard let rule = trail[level].validate else { return nil }
        evaluator.depth = level
        guard try evaluator.newData().exists(), try !isTrue(rule, at: level) else { return nil }
        return verdict(false, by: rule, at: level)
    }

    /// Returns the first refusal by the `.validate` of a node below the last one.
    private mutating func refusalBelow() throws(TreeError) -> RulesVerdict? {
        guard let node = trail.last, node.hasValidateBelow else { return nil }
        let level = trail.count - 1
        evaluator.depth = level
        let data = try evaluator.newData()
        guard node.wildcard.map({ $0.validate != nil || $0.hasValidateBelow }) == true else {
            // Only nodes with a rule of their own can be refused.
            for (key, child) in node.children {
                if let refusal = try refusal(of: key.string, child, from: level) { return refusal }
            }
            return nil
        }
        var refusal: RulesVerdict?
        var keys: [String] = []
        try data.forEachChildKey { key throws(TreeError) in
            keys.append(key)
            return true
        }
        for key in keys {
            guard let child = node.child(for: key) else { continue }
            refusal = try self.refusal(of: key, child, from: level)
            if refusal != nil { break }
        }
        return refusal
    }

    private mutating func refusal(
        of key: String, _ child: RulesNode, from level: Int
    ) throws(TreeError) -> RulesVerdict? {
        guard child.validate != nil || child.hasValidateBelow else { return nil }
        evaluator.depth = level
        evaluator.descend(to: key)
        trail.append(child)
        defer {
            trail.removeLast()
            evaluator.ascend()
        }
        evaluator.depth = level + 1
        guard try evaluator.newData().exists() else { return nil }
        if let refusal = try refusal(at: level + 1) { return refusal }
        return try refusalBelow()
    }
}
