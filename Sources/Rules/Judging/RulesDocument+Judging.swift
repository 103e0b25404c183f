package import TreeModel

extension RulesDocument {
    /// Judges a read of everything at a path.
    ///
    /// The first `.read` from the root to the path that is true grants the read; nothing below can revoke it.
    ///
    /// - Parameters:
    ///   - query: The query of the read; nil for none.
    ///   - data: The root of the tree.
    /// - Throws: ``TreeError`` if the data cannot be read. A rule that fails grants nothing, but is not an error.
    package func judgeRead(
        at path: [String], matching query: RulesQuery? = nil, by subject: RulesSubject, in data: any RulesData
    ) throws(TreeError) -> RulesVerdict {
        var judge = Judge(root, at: path, Evaluator(path: path, subject: subject, query: query ?? .none, data: data))
        return try judge.read()
    }

    /// Judges a write of everything at a path.
    ///
    /// At least one `.write` from the root to the path must be true. Then each `.validate` of a node on the path, and
    /// below it, must be true if the node exists after the write. Each path of a multi-path update is judged by itself,
    /// with the states before and after the whole update.
    ///
    /// - Parameters:
    ///   - data: The root of the tree before the write.
    ///   - newData: The root of the tree after the write.
    /// - Throws: ``TreeError`` if the data cannot be read. A rule that fails grants nothing, but is not an error.
    package func judgeWrite(
        at path: [String], by subject: RulesSubject, before data: any RulesData, after newData: any RulesData
    ) throws(TreeError) -> RulesVerdict {
        var judge = Judge(root, at: path, Evaluator(path: path, subject: subject, data: data, newData: newData))
        return try judge.write()
    }

    /// Judges a read as ``judgeRead(at:matching:by:in:)`` does, and traces the evaluation of each rule.
    package func explainRead(
        at path: [String], matching query: RulesQuery? = nil, by subject: RulesSubject, in data: any RulesData
    ) throws(TreeError) -> RulesTrace {
        let evaluator = Evaluator(path: path, subject: subject, query: query ?? .none, data: data)
        var judge = Judge(root, at: path, evaluator, isTraced: true)
        return RulesTrace(verdict: try judge.read(), evaluations: judge.evaluations)
    }

    /// Judges a write as ``judgeWrite(at:by:before:after:)`` does, and traces the evaluation of each rule.
    package func explainWrite(
        at path: [String], by subject: RulesSubject, before data: any RulesData, after newData: any RulesData
    ) throws(TreeError) -> RulesTrace {
        let evaluator = Evaluator(path: path, subject: subject, data: data, newData: newData)
        var judge = Judge(root, at: path, evaluator, isTraced: true)
        return RulesTrace(verdict: try judge.write(), evaluations: judge.evaluations)
    }
}
