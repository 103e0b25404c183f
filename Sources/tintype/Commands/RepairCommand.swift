import API
import ArgumentParser
import Keeping

/// Mends what follows from what is in the store.
struct RepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Mend what can be mended: renditions, lists, numbers and links.",
        usage: """
            tintype repair [--dry-run] [<options>]
            tintype repair --row <path> --drop [<options>]
            tintype repair --row <path> --value <json> [<options>]
            tintype repair --row <path> --from-backup <backup> [<options>]
            """,
        discussion: """
            Renditions that are missing or damaged are rendered again from their originals, and lists, numbers and links are \
            written as they follow from the data. An original is never touched: one that is missing or damaged is \
            reported, and so is everything else that is lost. It works beside the service, and without it. With --read, \
            files are read and compared first, as "tintype verify" does; those that were damaged when they were read last are in \
            any case. The exit code is 3 when something is left.

            With --row, such as --row /people/maria/full_name --value '"Maria"', one row of the database that cannot be read is \
            dropped or replaced by your word, while no service runs. \
            What was there is kept in damaged/. What follows from the row is written with it, as far as that can be known; \
            "tintype check" says what is left.

            EXAMPLES
              tintype repair --dry-run
              tintype repair
              tintype repair --read
            """)

    @OptionGroup var storage: StorageOptions

    @Option(help: ArgumentHelp("Only this person's files.", valueName: "user"))
    var user: String?

    @Flag(help: "Read files, and compare their bytes, too.")
    var read = false

    @Flag(help: "Change nothing; print what would be mended.")
    var dryRun = false

    @Flag(help: "Print one JSON document for each finding, and one at the end.")
    var json = false

    @OptionGroup(title: "A ROW THAT CANNOT BE READ") var damagedRow: DamagedRowOptions

    func validate() throws {
        guard damagedRow.row == nil || user == nil && !read && !dryRun else {
            throw ValidationError("--row goes without --user, --read and --dry-run")
        }
    }

    func run() async throws {
        if damagedRow.row != nil { return try await damagedRow.replace(in: storage, isJSON: json) }
        var order = StoreCheckOrder(.repair)
        try order.select(user: user)
        order.readsFiles = read
        order.changes = !dryRun
        let last = try await StoreCheckSteps(storage: storage, order: order, isJSON: json).run()
        try last.end(isJSON: json)
    }
}
