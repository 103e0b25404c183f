package import TreeModel

/// The new value of one path of an update, as JSON; null deletes.
package struct RulesWrite: Sendable, Hashable {
    package let path: TreePath
    package let value: JSONValue

    package init(_ path: TreePath, _ value: JSONValue) {
        self.path = path
        self.value = value
    }
}

/// A read or write of a tree, which rules allow or refuse.
package struct RulesAction: Sendable {
    enum Kind {
        case read(TreePath, RulesQuery?)
        case write([RulesWrite])
    }

    let kind: Kind

    /// Returns a read of everything at a path, or of what a query selects there.
    package static func read(_ path: TreePath, matching query: RulesQuery? = nil) -> RulesAction {
        RulesAction(kind: .read(path, query))
    }

    /// Returns a multi-path update.
    ///
    /// - Throws: ``TreeError`` with code `conflicting_paths` if a path is above another one, or occurs twice.
    package static func write(_ writes: [RulesWrite]) throws(TreeError) -> RulesAction {
        // Sorted by keys, a path is followed by those below it.
        let paths = writes.map(\.path).sorted { $0.keys.lexicographicallyPrecedes($1.keys) }
        for (path, next) in zip(paths, paths.dropFirst()) where path == next || path.isAncestor(of: next) {
            throw TreeError(
                .conflictingPaths, "one update writes both \(path) and \(next)", hint: "Write only the upper one.")
        }
        return RulesAction(kind: .write(writes))
    }

    /// The action in words, such as `reads /posts` or `deletes /posts/p1`.
    package var words: String {
        switch kind {
        case .read(let path, nil): "reads \(path)"
        case .read(let path, _?): "queries \(path)"
        case .write(let writes):
            (writes.allSatisfy { $0.value == .null } ? "deletes " : "writes ")
                + writes.map { "\($0.path)" }.joined(separator: ", ")
        }
    }
}

// MARK: Judging

/// The decision of rules about an action, path by path.
package struct RulesDecision: Sendable {
    /// The decision about one path; an update has one for each.
    package struct Part: Sendable {
        package let path: TreePath
        package let trace: RulesTrace
    }

    /// The decisions; empty for the owner of the service, who is not bound by rules.
    package let parts: [Part]

    package var isAllowed: Bool { parts.allSatisfy(\.trace.verdict.isAllowed) }
}

extension RulesDocument {
    /// Judges an action, and traces the evaluation of each rule.
    ///
    /// - Throws: ``TreeError`` if the tree cannot be read, and for values that a tree cannot hold.
    package func explain(
        _ action: RulesAction, by actor: RulesActor, at now: Timestamp, in tree: any RulesTree
    ) throws(TreeError) -> RulesDecision {
        guard case .bound(let auth) = actor else { return RulesDecision(parts: []) }
        let subject = RulesSubject(auth: auth, now: now)
        let data = RulesTreeNode(rootOf: tree)
        switch action.kind {
        case .read(let path, let query):
            let trace = try explainRead(at: path.keys.map(\.string), matching: query, by: subject, in: data)
            return RulesDecision(parts: [RulesDecision.Part(path: path, trace: trace)])
        case .write(let writes):
            let values = ServerValues(tree: tree, now: now)
            var resolved: [RulesWrite] = []
            for write in writes {
                resolved.append(RulesWrite(write.path, try values.resolve(write.value, at: write.path)))
            }
            let newData = RulesTreeNode(rootOf: try UpdatedTree(resolved, over: tree))
            var parts: [RulesDecision.Part] = []
            for write in writes {
                let trace = try explainWrite(
                    at: write.path.keys.map(\.string), by: subject, before: data, after: newData)
                parts.append(RulesDecision.Part(path: write.path, trace: trace))
            }
            return RulesDecision(parts: parts)
        }
    }
}
