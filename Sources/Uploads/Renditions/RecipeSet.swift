package import API
package import Imaging

/// A set of recipes by which photos are rendered together, in its text form.
package enum RecipeSet {
    /// Reads recipes such as `thumb=640,q70`.
    ///
    /// - Throws: `Failure` `bad_request` about the first invalid recipe.
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
        // Names that begin with "original" are reserved for the original bytes.
        if let recipe = recipes.first(where: { $0.name.hasPrefix("original") }) {
            throw Failure(
                .badRequest,
                "no recipe may be called \(recipe.name): names that begin with original are reserved for originals")
        }
        return recipes
    }
}
