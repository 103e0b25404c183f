package import TreeModel

extension RulesDocument {
    /// Judges a read of everything at a path.
    ///
    /// From the root to the path, the first `.read` that is true grants; nothing further down can revoke that.
    ///
    /// - Parameters:
    ///   - query: The query of the read; nil for none.
    ///   - data: The root of the tree.
    /// - Throws: ``TreeError`` when the data cannot be read. A rule that fails grants nothing, and that is no failure.
    package func judgeRead(
        at path: [String], matching query: RulesQuery? = nil, by subject: RulesSubject, in data: any RulesData
    ) throws(TreeError) -> RulesVerdict {
        var judge = Judge(root, at: path, Evaluator(path: path, subject: subject, query: query ?? .none, data: data))
        return try judge.read()
    }

    /// Judges a write of everything at a path.
    ///
    /// From the root to the path, some `.write` has to be true. Then each `.validate` of a node on the way to the path,
    /// and below it, has to be true where there is something after the write. Each path of a multi-path update is
    /// judged by itself, with the states before and after the whole update.
    ///
    /// - Parameters:
    ///   - data: The root of the tree before the write.
    ///   - newData: The root of the tree after the write.
    /// - Throws: ``TreeError`` when the data cannot be read. A rule that fails grants nothing, and that is no failure.
    package func judgeWrite(
        at path: [String], by subject: RulesSubject, before data: any RulesData, after newData: any RulesData
    ) throws(TreeError) -> RulesVerdict {
        var judge = Judge(root, at: path, Evaluator(path: path, subject: subject, data: data, newData: newData))
        return try judge.write()
    }

    /// Judges a read as ``judgeRead(at:matching:by:in:)`` does, and tells of each rule what it came to.
    package func explainRead(
        at path: [String], matching query: RulesQuery? = nil, by subject: RulesSubject, in data: any RulesData
    ) throws(TreeError) -> RulesTrace {
        let evaluator = Evaluator(path: path, subject: subject, query: query ?? .none, data: data)
        var judge = Judge(root, at: path, evaluator, isTraced: true)
        return RulesTrace(verdict: try judge.read(), evaluations: judge.evaluations)
    }

    /// Judges a write as ``judgeWrite(at:by:before:after:)`` does, and tells of each rule what it came to.
    package func explainWrite(
        at path: [String], by subject: RulesSubject, before data: any RulesData, after newData: any RulesData
    ) throws(TreeError) -> RulesTrace {
        let evaluator = Evaluator(path: path, subject: subject, data: data, newData: newData)
        var judge = Judge(root, at: path, evaluator, isTraced: true)
        return RulesTrace(verdict: try judge.write(), evaluations: judge.evaluations)
    }
}
