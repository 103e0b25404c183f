import Imaging
import Model
import Synchronization
package import Tree

/// The recipes by which files were ever made, by their fingerprints: `recipes/{fingerprint}` of the pipeline's own tree is the
/// recipe as it was written, so that a file tells how it was made after the settings have changed.
package final class RecipeBook: Sendable {
    private let tree: TreeStore
    private let known = Mutex<Set<String>>([])

    package init(_ tree: TreeStore) {
        self.tree = tree
    }

    /// Notes recipes that are rendered together. Those that are known cost nothing.
    func note(_ recipes: [Recipe]) async throws {
        let texts = recipes.map { ($0.fingerprint(among: recipes), $0.description) }
        let new = known.withLock { known in texts.filter { !known.contains($0.0) } }
        guard !new.isEmpty else { return }
        try await tree.transact { snapshot, update in
            for (fingerprint, text) in new {
                let path = UploadNodes.recipe(TreeKey(unchecked: fingerprint))
                if try !snapshot.exists(path) { update[path] = .string(text) }
            }
        }
        known.withLock { $0.formUnion(new.map(\.0)) }
    }
}
