import Imaging
import Model
import Synchronization
package import Tree

/// All recipes that were ever used, by their fingerprints: `recipes/{fingerprint}` in the pipeline's own tree is the
/// recipe as it was written, so that the recipe of a file can be found after the settings have changed.
package final class RecipeBook: Sendable {
    private let tree: TreeStore
    private let known = Mutex<Set<String>>([])

    package init(_ tree: TreeStore) {
        self.tree = tree
    }

    /// Stores recipes that are rendered together. Recipes that are already stored cost nothing.
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
