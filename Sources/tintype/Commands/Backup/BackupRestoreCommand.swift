import API
import ArgumentParser
import Backup
import Foundation

/// Creates a store from a backup.
struct BackupRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Create a store from a backup.",
        usage: "tintype backup restore <folder|file.tar> [<options>]",
        discussion: """
            The storage folder must be empty, or must not exist. Each file is compared with its checksum in the \
            backup. If a restore is interrupted, run the command again to continue it; no service starts on the folder \
            before the restore is complete. --at names a moment: the number of a change (--at 812), or a time \
            (--at 2026-11-26T09:30:00Z). The moment may be between two backups: the changes up to it are then repeated \
            from the change log of the later backup.

            EXAMPLES
              tintype backup restore backups --storage Storage-restored
              tintype backup restore house.tar --storage Storage-moved
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
            let size = "\(last.files) files, \(ByteSize.text(last.bytes))"
            Terminal.output("\(path) has change \(last.token ?? 0): \(size)")
            Terminal.note("\"tintype store check --storage \(path)\" checks the whole store")
        }
        if last.findings > 0 { throw ExitStatus.partial }
    }
}
