import API
import ArgumentParser
import Backup
import Foundation

/// Makes a store of a backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a store of a backup.",
        usage: "tintype restore <folder|file.tar> [<options>]",
        discussion: """
            It makes the storage folder anew: the folder has to be empty, or a new one. Each file is compared with what the \
            backup knows of it. One that is interrupted goes on where it was, with the same command; no service starts \
            there before all of it is there. --at takes a moment between two backups, too, such as --at 812, the number of a \
            change, or --at 2026-11-26T09:30:00Z: the changes up to it are made anew from the change log of the later one.

            EXAMPLES
              tintype restore backups --storage Storage-restored
              tintype restore house.tar --storage Storage-moved
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("A folder of backups, or a file.", valueName: "folder|file.tar"))
    var source: String

    @Option(
        help: ArgumentHelp(
            "A moment: the number of a change, a date or a time (default: the newest).", valueName: "moment"))
    var at: String?

    @Flag(help: "Print one JSON document for each step and each finding.")
    var json = false

    func run() async throws {
        let point = try RestorePoint(parsing: at)
        let configuration = try storage.configuration()
        let (path, publicBase) = (try configuration.value(\.storage), try configuration.publicBase())
        let source = source
        let last = try await BackupSteps(isJSON: json).run { report in
            let restore = Restore(
                from: try await Restore.source(source), point, to: path, publicBase: publicBase)
            report(.step(try await restore.run { report($0) }))
        }
        if !json {
            let size = "\(last.files) files, \(StatusText.size(last.bytes))"
            Terminal.output("\(path) has change \(last.token ?? 0): \(size)")
            Terminal.note("\"tintype check --storage \(path)\" compares all of it")
        }
        if last.findings > 0 { throw ExitStatus.partial }
    }
}
