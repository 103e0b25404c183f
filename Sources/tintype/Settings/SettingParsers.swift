import Imaging
import Uploads

/// Parsers of values that several settings share, or that take more than one line.
enum SettingParsers {
    static let durationExpectation = "a time such as 30s, 15m, 24h or 7d"

    /// Parses a time such as `30s`, `15m`, `24h` or `7d`; returns nil for any other text.
    static func duration(_ text: String) -> Duration? {
        let seconds: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ seconds[$0] }), let count = Int(text.dropLast()),
            (0...100_000).contains(count)
        else { return nil }
        return .seconds(count * unit)
    }

    /// Parses recipes that are separated by spaces; returns nil when there is none.
    ///
    /// - Throws: `ConfigurationError` about the first invalid recipe.
    @Sendable static func recipes(_ text: String) throws -> [Recipe]? {
        let recipes: [Recipe]
        do {
            recipes = try RecipeSet.read(text.split(separator: " ").map(String.init))
        } catch {
            throw ConfigurationError("\(error)")
        }
        return recipes.isEmpty ? nil : recipes
    }
}
