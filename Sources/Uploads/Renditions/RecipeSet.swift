package import API
package import Imaging

/// Recipes that photos are rendered by together, as people write them.
package enum RecipeSet {
    /// Reads recipes, such as `thumb=640,q70`.
    ///
    /// - Throws: `Failure` `bad_request` about the one that is at fault.
    package static func read(_ texts: [String]) throws(Failure) -> [Recipe] {
        var recipes: [Recipe] = []
        for text in texts {
            do throws(ImageError) {
                recipes.append(try Recipe(parsing: text))
            } catch {
                throw Failure(.badRequest, "\(error)")
            }
        }
        if let name = Dictionary(grouping: recipes, by: \.name).first(where: { $0.value.count > 1 })?.key {
            throw Failure(.badRequest, "two recipes have one name, \(name)")
        }
        // Files called original are the senders' own bytes.
        if let recipe = recipes.first(where: { $0.name.hasPrefix("original") }) {
            throw Failure(
                .badRequest,
                "no recipe may be called \(recipe.name): names that begin so are the senders' photos")
        }
        return recipes
    }
}
