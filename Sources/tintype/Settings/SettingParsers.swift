import Imaging

/// Readers of values that more than one setting, or more than one line, is needed for.
enum SettingParsers {
    static let durationExpectation = "a time such as 30s, 15m, 24h or 7d"

    /// Reads a time such as `30s`, `15m`, `24h` or `7d`; nil for any other text.
    static func duration(_ text: String) -> Duration? {
        let seconds: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ seconds[$0] }), let count = Int(text.dropLast()),
            (0...100_000).contains(count)
        else { return nil }
        return .seconds(count * unit)
    }

    /// Reads recipes that are separated by spaces; nil when there is none.
    ///
    /// - Throws: `ConfigurationError` about the recipe that is at fault.
    @Sendable static func recipes(_ text: String) throws -> [Recipe]? {
        let recipes = try text.split(separator: " ").map { word in
            do {
                return try Recipe(parsing: String(word))
            } catch {
                throw ConfigurationError("\(error)")
            }
        }
        if let name = Dictionary(grouping: recipes, by: \.name).first(where: { $0.value.count > 1 })?.key {
            throw ConfigurationError("two recipes have one name, \(name)")
        }
        // Files called original are the senders' own bytes.
        if let recipe = recipes.first(where: { $0.name.hasPrefix("original") }) {
            throw ConfigurationError(
                "no recipe may be called \(recipe.name): names that begin so are the senders' photos")
        }
        return recipes.isEmpty ? nil : recipes
    }
}
