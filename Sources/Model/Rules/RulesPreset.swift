/// A choice of who sees and writes what, as database rules and storage rules that belong together.
package enum RulesPreset: String, CaseIterable, Sendable {
    /// Everybody sees everything that is not for an audience: the rules of a new store.
    case `public`
    /// Members see what everybody sees otherwise. Strangers and anonymous accounts see nothing.
    case members
    /// Posts are for the members of an audience, such as a class. A post without one is for its author.
    case classroom

    /// The database rules.
    package var database: String { parts.database }

    /// The storage rules.
    package var storage: String { parts.storage }

    /// Returns rules with a first line that says which preset they are.
    ///
    /// An operator has chosen rules with this line, even if they are otherwise those of a new store.
    package func marked(_ rules: String) -> String { "// The preset \"\(rawValue)\".\n\(rules)" }

    /// The parts in which the rules of this preset differ from those of others.
    private var parts: RulesParts {
        switch self {
        case .public: .public
        case .members: .members
        case .classroom: .classroom
        }
    }
}
