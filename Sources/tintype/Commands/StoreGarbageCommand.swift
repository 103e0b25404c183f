import API
import ArgumentParser
import Keeping

/// Deletes files without a record.
struct StoreGarbageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc",
        abstract: "Find files without a record, and delete them.",
        usage: "tintype store gc [--delete] [<options>]",
        discussion: """
            Without --delete the command only prints the files, and the exit code is 3 if there are any. Each file is checked \
            again just before it is deleted, and the files of uploads in progress are not touched. Nothing is deleted if that \
            would be more than 5 % of the store, because the tree may then be the wrong one. Replaced renditions and the \
            files of deleted posts are not affected: the service deletes them after the grace period (the setting \
            grace-period).

            EXAMPLES
              tintype store gc
              tintype store gc --delete
              tintype store gc --delete --max-share 20
            """)

    @OptionGroup var storage: StorageOptions

    @Option(help: ArgumentHelp("Only this user's files.", valueName: "user"))
    var user: String?

    @Flag(help: "Delete the files.")
    var delete = false

    @Option(
        help: ArgumentHelp("The largest share of the store to delete, in percent (default: 5).", valueName: "percent"))
    var maxShare: Int?

    @Flag(help: "Print one JSON document for each finding, and one at the end.")
    var json = false

    func validate() throws {
        if let maxShare, !(0...100).contains(maxShare) {
            throw ValidationError("--max-share is a number from 0 to 100")
        }
    }

    func run() async throws {
        var order = StoreCheckOrder(.gc)
        try order.select(user: try await storage.uid(ofAny: user))
        order.changes = delete
        if let maxShare { order.maxShare = Double(maxShare) / 100 }
        let last = try await StoreCheckSteps(storage: storage, order: order, isJSON: json).run()
        try last.end(isJSON: json, hint: delete ? nil : "Delete them with --delete.")
    }
}
