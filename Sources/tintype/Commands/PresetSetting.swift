import API
import Model
import Rules

/// The setting of the rules of a preset in the running service.
struct PresetSetting {
    private let target: RulesCommand.Target

    init(of target: RulesCommand.Target) { self.target = target }

    /// Sets the database rules and the storage rules, and reports what they mean and what has changed.
    ///
    /// - Throws: The failures of the service. If the second set of rules cannot be set, the error names the first one,
    ///   which is in force.
    func set(_ preset: RulesPreset, isJSON: Bool) async throws {
        let earlier = try await RulesCommand.storageRules(of: target)
        let files = preset.storageFile
        var changes: [RulesChange]?
        // The two are separate in the service: what closes comes first, so that photos are never shown longer than posts.
        if preset == .public {
            changes = try await target.replace(by: preset.databaseFile)
            try await second("storage rules", of: preset) { _ = try await target.replaceStorageRules(by: files) }
        } else {
            _ = try await target.replaceStorageRules(by: files)
            try await second("database rules", of: preset) {
                changes = try await target.replace(by: preset.databaseFile)
            }
        }
        let hasNewStorageRules = Self.body(of: earlier) != Self.body(of: files.text)
        if isJSON {
            var document = RulesChangesDocument(changes: (changes ?? []).map(\.document))
            document.preset = preset.rawValue
            document.storageRules = hasNewStorageRules ? .changed : .unchanged
            return Terminal.outputJSON(document)
        }
        preset.meaning.forEach(Terminal.output)
        if preset != .public { Terminal.output(RulesPreset.remainder) }
        Terminal.output("")
        for change in changes ?? [] { Terminal.output(change.words) }
        if hasNewStorageRules { Terminal.output("changed  storage rules") }
        switch changes {
        case nil: Terminal.note("the preset \(preset.rawValue) is set; the earlier rules could not be compared")
        case []? where !hasNewStorageRules:
            Terminal.note("the rules were those of the preset \(preset.rawValue) before")
        default: Terminal.note("the preset \(preset.rawValue) is set")
        }
    }

    /// Sets the second set of rules of a preset.
    private func second(_ name: String, of preset: RulesPreset, _ set: () async throws -> Void) async throws {
        do {
            try await set()
        } catch {
            Terminal.note("the \(name) of the preset \(preset.rawValue) are not set yet; repeat the command")
            throw error
        }
    }

    /// Returns rules without a first line that names a preset.
    private static func body(of rules: String) -> Substring {
        for preset in RulesPreset.allCases {
            let mark = preset.marked("")
            if rules.hasPrefix(mark) { return rules.dropFirst(mark.count) }
        }
        return rules[...]
    }
}
