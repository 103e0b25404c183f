import API
import ArgumentParser
import Rules

/// Replaces the rules of the running service.
struct RulesSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Replace the rules of the running service.",
        usage: "tintype rules set (<file> | --preset <name>) [<options>]",
        discussion: """
            The file is checked first; if it has an error, nothing changes. The changes are printed. Listeners that may no \
            longer read their path are cut off immediately.

            --preset sets both the database rules and the storage rules, and prints what the preset means. With "members", \
            people see posts only if they have an account that is not anonymous. With "classroom", posts are for the members \
            of an audience, such as a class. With "public", which a new store has at first, everybody sees all posts \
            except those for an audience.

            EXAMPLES
              tintype rules set rules.json
              tintype rules set rules.json --ns test --json
              tintype rules set storage.rules --storage-rules
              tintype rules set --preset members
              tintype rules set --preset classroom --json
              tintype rules set --preset public
            """)

    @OptionGroup var target: RulesCommand.Target

    @OptionGroup var choice: RulesChoice

    @Flag(help: "The file contains storage rules, which decide who may fetch which photos.")
    var storageRules = false

    @Flag(help: "Print the changes as one JSON document.")
    var json = false

    func validate() throws {
        guard !storageRules || target.ns == nil else { throw ValidationError(RulesCommand.oneForAllTrees) }
        guard choice.preset == nil || !storageRules && target.ns == nil else {
            throw ValidationError(
                "a preset is for the service's own tree and its files; leave out --ns and --storage-rules")
        }
    }

    func run() async throws {
        let file = try await choice.databaseFile()
        if let preset = choice.preset { return try await PresetSetting(of: target).set(preset, isJSON: json) }
        if storageRules { return try await setStorageRules(file) }
        let changes = try await target.replace(by: file)
        guard let changes else { return Terminal.note("the rules are set; the earlier rules could not be compared") }
        if json { return Terminal.outputJSON(RulesChangesDocument(changes: changes.map(\.document))) }
        for change in changes { Terminal.output(change.words) }
        if changes.isEmpty { Terminal.note("the rules are unchanged") }
    }

    private func setStorageRules(_ file: TextFile) async throws {
        let outcome = try await target.replaceStorageRules(by: file)
        if json { return Terminal.outputJSON(outcome) }
        Terminal.note(
            outcome.areRenditionsPublic
                ? "the storage rules are set; everybody may fetch thumbnails, and posts of Firebase's clients use the service's"
                : "the storage rules are set; posts have signed URLs of their thumbnails, and posts of Firebase's clients use the app's own"
        )
    }
}
