import Database
import Model
import Rules
import Service
import Tree

extension HTTPServer.Settings {
    /// Returns the log line at the start for a service whose posts everybody sees because nobody has changed its rules;
    /// nil when no other machine reaches it, or when the operator chose.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    func openRulesNotice(_ tree: TreeStore) async throws -> String? {
        guard !database.isEmulator, let reach, let rules = try await tree.rules() else { return nil }
        // An operator who sets the preset writes its name into the rules.
        guard !rules.hasPrefix(RulesPreset.public.marked("")) else { return nil }
        guard try RulesDocument(rules).changes(since: RulesDocument(DefaultRules.database)).isEmpty else { return nil }
        return """
            everybody who reaches the service sees its posts, and \(reach); "tintype rules set --preset members" shows them \
            to members alone, and "tintype rules set --preset public" keeps them public
            """
    }
}
