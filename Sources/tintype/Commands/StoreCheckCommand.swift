import API
import ArgumentParser
import Keeping
import Uploads

/// Compares records, lists and files of the store with each other.
struct StoreCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the store for contradictions and missing files.",
        usage: "tintype store check [<options>]",
        discussion: """
            Each record, list and counter of the tree is compared with the data that it is derived from, and each file, by \
            name and size, with the records that name it. Nothing is changed. The service may run meanwhile. Findings are \
            printed one per line, and the exit code is then 3. "tintype store repair" corrects what can be corrected, "tintype store gc" \
            deletes files without a record, and the rest needs a person and a backup.

            EXAMPLES
              tintype store check
              tintype store check --user maria
              tintype store check --json | jq -r 'select(.kind) | .path'
            """)

    @OptionGroup var storage: StorageOptions

    @Option(help: ArgumentHelp("Only this user's files.", valueName: "user"))
    var user: String?

    @Flag(help: "Print one JSON document for each finding, and one at the end.")
    var json = false

    func run() async throws {
        var order = StoreCheckOrder(.check)
        try order.select(user: try await storage.uid(ofAny: user))
        let last = try await StoreCheckSteps(storage: storage, order: order, isJSON: json).run()
        try last.end(isJSON: json)
    }
}

extension StoreCheckStepDocument {
    /// Prints the result of a store check, and ends the command.
    ///
    /// - Throws: `ExitStatus` when findings remain.
    func end(isJSON: Bool, hint: String? = nil) throws {
        let left = findings.values.reduce(0, +)
        if !isJSON {
            let size = ByteSize.text(bytes)
            let reading = read > 0 ? ", \(ByteSize.text(read)) read" : ""
            Terminal.output("\(done) posts, \(files) files, \(size)\(reading): \(words(left))")
            if let unkept { Terminal.note("the result could not be stored: \(unkept)".printable) }
            if left > 0, let hint { Terminal.note(hint) }
        }
        if left > 0 { throw ExitStatus.partial }
    }

    private func words(_ left: Int) -> String {
        let done = mended > 0 ? "\(mended) \(action == .gc ? "deleted" : "repaired")" : nil
        let kinds = findings.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        let rest = left > 0 ? "\(left) found (\(kinds.joined(separator: ", ")))" : nil
        return [done, rest].compactMap(\.self).joined(separator: ", ").nonEmpty ?? "all is well"
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
