import API
import ArgumentParser
import Keeping

/// Repairs the derived data of the store.
struct StoreRepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Repair what can be repaired: renditions, lists, counters and links.",
        usage: """
            tintype store repair [--dry-run] [<options>]
            tintype store repair --row <path> --drop [<options>]
            tintype store repair --row <path> --value <json> [<options>]
            tintype store repair --row <path> --from-backup <backup> [<options>]
            """,
        discussion: """
            Renditions that are missing or damaged are rendered again from their originals, and lists, counters and links are \
            derived from the data again. An original is never touched: if it is missing or damaged it is reported, as is \
            everything else that is lost. The command works whether the service runs or not. With --read, files are first \
            read and compared, as "tintype store verify" does; files that were damaged when last read are always included. The exit \
            code is 3 when findings remain.

            With --row, such as --row /people/maria/full_name --value '"Maria"', one row of the database that cannot be read \
            is dropped or replaced. No service may run meanwhile. The old row is kept in damaged/. Data derived from the row \
            is also written, as far as it can be determined; "tintype store check" reports what remains.

            EXAMPLES
              tintype store repair --dry-run
              tintype store repair
              tintype store repair --read
            """)

    @OptionGroup var storage: StorageOptions

    @Option(help: ArgumentHelp("Only this user's files.", valueName: "user"))
    var user: String?

    @Flag(help: "Also read files, and compare their bytes.")
    var read = false

    @Flag(help: "Change nothing; print what would be repaired.")
    var dryRun = false

    @Flag(help: "Print one JSON document for each finding, and one at the end.")
    var json = false

    @OptionGroup(title: "A ROW THAT CANNOT BE READ") var damagedRow: DamagedRowOptions

    func validate() throws {
        guard damagedRow.row == nil || user == nil && !read && !dryRun else {
            throw ValidationError("--row cannot be combined with --user, --read and --dry-run")
        }
    }

    func run() async throws {
        if damagedRow.row != nil { return try await damagedRow.replace(in: storage, isJSON: json) }
        var order = StoreCheckOrder(.repair)
        try order.select(user: try await storage.uid(ofAny: user))
        order.readsFiles = read
        order.changes = !dryRun
        let last = try await StoreCheckSteps(storage: storage, order: order, isJSON: json).run()
        try last.end(isJSON: json)
    }
}
