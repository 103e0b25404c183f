import API
import ArgumentParser
import Client
import HTTPTypes
import Rules
import TreeModel
import Uploads

/// Replaces the rules of the running service.
struct RulesSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Replace the rules of the running service.",
        discussion: """
            The file is checked first; if it has an error, nothing changes. The changes are printed. Listeners that may no \
            longer read their path are cut off immediately.

            EXAMPLES
              tintype rules set rules.json
              tintype rules set rules.json --ns test --json
              tintype rules set storage.rules --storage-rules
            """)

    @OptionGroup var target: RulesCommand.Target

    @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file"))
    var file: String

    @Flag(help: "The file contains storage rules, which decide who may fetch which photos.")
    var storageRules = false

    @Flag(help: "Print the changes as one JSON document.")
    var json = false

    func validate() throws {
        guard !storageRules || target.ns == nil else { throw ValidationError(RulesCommand.oneForAllTrees) }
    }

    func run() async throws {
        let file = try await TextFile(path: file)
        if storageRules { return try await setStorageRules(file) }
        let rules = try file.rules()
        // Rules that an earlier version accepted may no longer be valid.
        let earlier = try? RulesDocument(try await target.text())
        _ = try await APIClient(target.storage).send(
            .put, RulesCommand.Target.address, query: target.query, headers: [.contentType: "application/json"],
            body: .bytes(Array(file.text.utf8)))
        report(earlier.map(rules.changes))
    }

    private func setStorageRules(_ file: TextFile) async throws {
        _ = try file.storageRules()
        let outcome: StorageRulesDocument = try await APIClient(target.storage).read(
            .put, RulesCommand.storageRulesAddress, headers: [.contentType: "text/plain"],
            body: .bytes(Array(file.text.utf8)))
        if json { return Terminal.outputJSON(outcome) }
        Terminal.note(
            outcome.areRenditionsPublic
                ? "the storage rules are set; everybody may fetch thumbnails, and posts of Firebase's clients use the service's"
                : "the storage rules are set; posts have signed URLs of their thumbnails, and posts of Firebase's clients use the app's own"
        )
    }

    /// - Parameter changes: The changes; nil when the earlier rules could not be compared.
    private func report(_ changes: [RulesChange]?) {
        guard let changes else { return Terminal.note("the rules are set; the earlier rules could not be compared") }
        if json {
            let changes = changes.map {
                RulesChangesDocument.Change(change: $0.kind.rawValue, path: $0.path, member: $0.member)
            }
            return Terminal.outputJSON(RulesChangesDocument(changes: changes))
        }
        for change in changes {
            let kind = change.kind.rawValue
            let padding = String(repeating: " ", count: max(0, 7 - kind.count))
            Terminal.output("\(kind)\(padding)  \(change.member) of \(change.path)".printable)
        }
        if changes.isEmpty { Terminal.note("the rules are unchanged") }
    }
}
