import API
import ArgumentParser
import Keeping

/// Deletes files that nothing names.
struct GarbageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc",
        abstract: "Find files that nothing names, and delete them.",
        usage: "tintype gc [--delete] [<options>]",
        discussion: """
            Without --delete it only prints what would go, and the exit code is 3 when there is something. Each file is \
            looked at once more just before it is deleted, and the files of uploads under way are left alone. Nothing is \
            deleted when that would be more than 5 % of the store: then the tree may be the wrong one. Replaced renditions \
            and the files of deleted posts are no matter of this command: the service deletes them when their time has \
            come (the setting grace-period).

            EXAMPLES
              tintype gc
              tintype gc --delete
              tintype gc --delete --max-share 20
            """)

    @OptionGroup var storage: StorageOptions

    @Option(help: ArgumentHelp("Only this person's files.", valueName: "user"))
    var user: String?

    @Flag(help: "Delete what is found.")
    var delete = false

    @Option(help: ArgumentHelp("Delete so much of the store at most (default: 5).", valueName: "percent"))
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
        try order.select(user: user)
        order.changes = delete
        if let maxShare { order.maxShare = Double(maxShare) / 100 }
        let last = try await StoreCheckSteps(storage: storage, order: order, isJSON: json).run()
        try last.end(isJSON: json, hint: delete ? nil : "--delete deletes them")
    }
}
