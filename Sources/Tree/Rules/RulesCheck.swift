import TreeModel

/// The check that stored rules can be read; each commit depends on them.
package struct RulesCheck: Sendable {
    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// Checks that the rules of a tree can be read; a tree without rules passes.
    ///
    /// - Throws: ``TreeError`` with code `rules_unreadable`, or the engine's failure.
    package func run(on namespace: Namespace = .main) async throws(TreeError) {
        try await tree.read { snapshot throws(TreeError) in
            _ = try snapshot.rules.rules(of: namespace, in: snapshot.engine)
        }
    }

    /// Returns the trees that have rules.
    package func namespaces() async throws(TreeError) -> [Namespace] {
        let first = RulesCatalog.key(of: .main)
        return try await tree.engine.read { snapshot throws(TreeError) in
            var namespaces: [Namespace] = []
            try snapshot.scan(.subtree(first), reverse: false) { key, _ throws(TreeError) in
                namespaces.append(Namespace(unchecked: key.extracting(droppingFirst: first.count).text))
                return true
            }
            return namespaces
        }
    }
}
