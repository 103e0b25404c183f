import Imaging
import Uploads

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
        let recipes: [Recipe]
        do {
            recipes = try RecipeSet.read(text.split(separator: " ").map(String.init))
        } catch {
            throw ConfigurationError("\(error)")
        }
        return recipes.isEmpty ? nil : recipes
    }
}
