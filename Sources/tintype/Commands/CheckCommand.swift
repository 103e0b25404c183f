import API
import ArgumentParser
import Keeping
import Uploads

/// Compares records, lists and files of the store with each other.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Compare everything in the store with everything else.",
        usage: "tintype check [<options>]",
        discussion: """
            Each record, list and number of the tree is compared with what it follows from, and each file, by name and size, \
            with what names it. Nothing is changed. It works beside the service, which goes on; and without it. What is \
            found is printed, a line each, and the exit code is 3. "tintype repair" mends what can be mended, "tintype gc" \
            deletes what nothing names, and the rest is for a person, with a backup.

            EXAMPLES
              tintype check
              tintype check --user maria
              tintype check --json | jq -r 'select(.kind) | .path'
            """)

    @OptionGroup var storage: StorageOptions

    @Option(help: ArgumentHelp("Only this person's files.", valueName: "user"))
    var user: String?

    @Flag(help: "Print one JSON document for each finding, and one at the end.")
    var json = false

    func run() async throws {
        var order = StoreCheckOrder(.check)
        try order.select(user: user)
        let last = try await StoreCheckSteps(storage: storage, order: order, isJSON: json).run()
        try last.end(isJSON: json)
    }
}

extension StoreCheckStepDocument {
    /// Says what an audit came to, and ends the command.
    ///
    /// - Throws: `ExitStatus` when something was found that stays.
    func end(isJSON: Bool, hint: String? = nil) throws {
        let left = findings.values.reduce(0, +)
        if !isJSON {
            let size = StatusText.size(bytes)
            let reading = read > 0 ? ", \(StatusText.size(read)) read" : ""
            Terminal.output("\(done) posts, \(files) files, \(size)\(reading): \(words(left))")
            if let unkept { Terminal.note("the result is not noted in the store: \(unkept)".printable) }
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
