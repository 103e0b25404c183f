import API
import Access
import ArgumentParser
import Foundation
import Model
import Rules
import Tree
import TreeModel
import Uploads

/// Reports which rule allows or refuses an action.
struct RulesExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show which rule allows or refuses a read or a write, and why.",
        usage: """
            tintype rules explain [--as <uid>] --read <path> [<options>]
            tintype rules explain [--as <uid>] --write <path> <value> ... [<options>]
            """,
        discussion: """
            Nothing is written. Unless --file or --preset is given, the rules are those of the running service. Unless --data \
            is given, the data is that of the service: only the nodes that the rules use are read. If both are given, no \
            service is needed.

            VALUE is JSON; null deletes, and {".sv": "timestamp"} is the time of the write. Several paths with their values \
            are one multi-path update. Write a negative number with a space before it, in quotes: ' -5'. The exit code \
            is 0 whatever the decision is; with --json, the field "allowed" has the decision.

            EXAMPLES
              tintype rules explain --read posts
              tintype rules explain --as maria --read feed/anna
              tintype rules explain --as maria --read posts \\
                --query '{"orderBy": "timestamp", "limitToLast": 10}'
              tintype rules explain --as maria --write posts/p1/text '"hello"' \\
                people/maria/posts/p1 true
              tintype rules explain --auth '{"uid": "eve", "token": {"admin": true}}' \\
                --write posts/p1 null
              tintype rules explain --preset classroom --as maria --read people/anna
              tintype rules explain --file new.json --data tree.json \\
                --as maria --read posts --json
            """)

    @OptionGroup var target: RulesCommand.Target

    @Option(help: ArgumentHelp("The rules (default: those of the running service).", valueName: "file"))
    var file: String?

    @Option(
        help: ArgumentHelp(
            "The rules of a preset, in place of a file: members, public or classroom.", valueName: "name"))
    var preset: RulesPreset?

    @Option(help: ArgumentHelp("The data, in the form of an export (default: the service's).", valueName: "file"))
    var data: String?

    @Option(help: ArgumentHelp("The id of the requester (default: not signed in).", valueName: "uid"))
    var `as`: String?

    @Option(help: ArgumentHelp("The variable auth of the requester, as JSON.", valueName: "json"))
    var auth: String?

    @Option(help: ArgumentHelp("The path that is read.", valueName: "path"))
    var read: String?

    @Option(help: ArgumentHelp("The query of the read, as JSON.", valueName: "json"))
    var query: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("A path and its new value; may be followed by more.", valueName: "path value"))
    var write: [String] = []

    @Flag(help: "Print the result as one JSON document.")
    var json = false

    func validate() throws {
        guard (read == nil) != write.isEmpty else { throw ValidationError("give --read PATH or --write PATH VALUE") }
        guard write.count.isMultiple(of: 2) else { throw ValidationError("--write needs a value after each path") }
        guard query == nil || read != nil else { throw ValidationError("--query needs --read") }
        guard `as` == nil || auth == nil else { throw ValidationError("give --as or --auth") }
        guard file == nil || preset == nil else { throw ValidationError("give --file or --preset") }
        _ = (try actor(), try action())
    }

    func run() async throws {
        let (actor, action) = (try actor(), try action())
        let rules = try await rules()
        let now = WallClock.now()
        let decision: RulesDecision
        if let data {
            let tree = try await TextFile(path: data).tree()
            decision = try rules.explain(action, by: actor, at: now, in: tree)
        } else {
            let tree = ServiceTree(try APIClient(target.storage), namespace: target.ns)
            decision = try await tree.reading { tree throws(TreeError) in
                try rules.explain(action, by: actor, at: now, in: tree)
            }
        }
        if json { return Terminal.outputJSON(decision.document) }
        Terminal.output("\(decision.isAllowed ? "allowed" : "refused"): \(actor.words) \(action.words)".printable)
        ExplanationText(decision).lines.forEach(Terminal.output)
    }

    private func rules() async throws -> RulesDocument {
        if let preset { return try preset.databaseFile.rules() }
        if let file { return try await TextFile(path: file).rules() }
        return try RulesDocument(try await target.text())
    }

    // MARK: Arguments

    private func actor() throws -> RulesActor {
        if let uid = `as` { return try argument("--as") { () throws(TreeError) in try RulesActor(json: .string(uid)) } }
        let auth = try json(auth ?? "null", "--auth")
        guard auth.string == nil else { throw ValidationError("--auth: this is an id; give --as") }
        return try argument("--auth") { () throws(TreeError) in try RulesActor(json: auth) }
    }

    private func action() throws -> RulesAction {
        if let read {
            let query = try query.map { try json($0, "--query") }
            return try argument("--read") { () throws(TreeError) in
                .read(
                    try TreePath(read), matching: try query.map { json throws(TreeError) in try RulesQuery(json: json) }
                )
            }
        }
        let values = try stride(from: 0, to: write.count, by: 2).map { ($0, try json(write[$0 + 1], "--write")) }
        return try argument("--write") { () throws(TreeError) in
            var writes: [RulesWrite] = []
            for (index, value) in values { writes.append(RulesWrite(try TreePath(write[index]), value)) }
            return try .write(writes)
        }
    }

    private func json(_ text: String, _ option: String) throws -> JSONValue {
        guard let json = JSONValue(text: text.utf8) else {
            throw ValidationError("\(option): \(text.prefix(80)) is not JSON; a string needs quotes: '\"…\"'")
        }
        return json
    }

    /// Calls a function that parses an argument, and reports its failure as wrong usage.
    private func argument<R>(_ option: String, _ body: () throws(TreeError) -> R) throws -> R {
        do {
            return try body()
        } catch {
            throw ValidationError("\(option): \(error.messageWithHint)")
        }
    }
}
