import API
import ArgumentParser
import Backup
import Foundation
import Service
import Uploads

/// Creates backups of the store, manages them, and restores them.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up the store while it is in use; manage and restore backups.",
        usage: "tintype backup [<subcommand>] <folder|file.tar> [<options>]",
        discussion: """
            A backup has one state of the tree, and all files of that state. A folder can have many backups, and stores their \
            common files once: the second backup copies only what is new. If a backup is interrupted, run the command \
            again to continue it. A name that ends in .tar creates one file with one backup. The running service does \
            the work, on its machine and with its permissions; when none runs, this process does it.

            EXAMPLES
              tintype backup backups
              tintype backup house.tar
              tintype backup ls backups
              tintype backup verify backups
              tintype backup prune backups --keep 30
              tintype backup restore backups --storage Storage-restored
            """,
        subcommands: [Run.self, List.self, Verify.self, Prune.self, BackupRestoreCommand.self],
        defaultSubcommand: Run.self)
}

extension BackupCommand {
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Create a backup.",
            usage: "tintype backup [run] <folder|file.tar> [<options>]",
            discussion: """
                Each file is compared with its recorded checksum while it is copied; damaged files are reported, and the exit \
                code is then 3. Deleted files are kept until the backup is complete. If systemd runs the service, its unit \
                needs the line ReadWritePaths=<folder> for each folder other than /var/backups/tintype.

                EXAMPLES
                  tintype backup run backups
                  tintype backup run house.tar --json
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("A folder, or the file to create.", valueName: "folder|file.tar"))
        var target: String

        @Flag(help: "Print one JSON document for each step and each finding.")
        var json = false

        func run() async throws {
            let path = URL(fileURLWithPath: target).standardizedFileURL.path
            let storage = storage
            let last = try await BackupSteps(isJSON: json).run { report in
                try await storage.perform { service in
                    try await service.follow("/v1/backup", query: ["to": path]) { try BackupSteps.tell($0, to: report) }
                } locally: { pipeline in
                    let backup = try Backup(of: pipeline.storage, to: path)
                    report(.step(try await backup.run { report($0) }))
                }
            }
            if !json {
                let copied = "\(last.copied) files copied, \(ByteSize.text(last.copiedBytes))"
                let all = "\(last.files) files, \(ByteSize.text(last.bytes))"
                Terminal.output("\(target) has change \(last.token ?? 0): \(all); \(copied)")
            }
            if last.findings > 0 { throw ExitStatus.partial }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the backups of a folder or a file.",
            usage: "tintype backup ls <folder|file.tar> [--json]",
            discussion: """
                EXAMPLES
                  tintype backup ls backups
                  tintype backup ls house.tar --json
                """)

        @Argument(help: ArgumentHelp("A folder of backups, or a file.", valueName: "folder|file.tar"))
        var source: String

        @Flag(help: "Print one JSON document per line.")
        var json = false

        func run() async throws {
            let source = try await Restore.source(source)
            for state in try await source.states() {
                let backup = state.document
                if json {
                    Terminal.outputJSON(backup)
                } else {
                    let time = Date(timeIntervalSince1970: Double(backup.madeAt) / 1000).formatted(.iso8601)
                    let size = "\(backup.files) files, \(ByteSize.text(backup.bytes))"
                    Terminal.output("change \(backup.token)  \(time)  \(size)  by \(backup.version)")
                }
            }
            let unreadable = try await source.unreadable()
            for path in unreadable {
                Terminal.error("\(path) cannot be read: replace it by another copy, or delete it".printable)
            }
            if !unreadable.isEmpty { throw ExitStatus.partial }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Read the backups of a folder or a file, and compare them with their checksums.",
            usage: "tintype backup verify <folder|file.tar> [--json]",
            discussion: """
                Missing and damaged files are printed, and the exit code is then 3.

                EXAMPLES
                  tintype backup verify backups
                  tintype backup verify house.tar
                """)

        @Argument(help: ArgumentHelp("A folder of backups, or a file.", valueName: "folder|file.tar"))
        var source: String

        @Flag(help: "Print one JSON document for each step and each finding.")
        var json = false

        func run() async throws {
            let source = source
            let last = try await BackupSteps(isJSON: json).run { report in
                let verification = BackupVerification(of: try await Restore.source(source))
                report(.step(try await verification.run { report($0) }))
            }
            if !json {
                let result = last.findings == 0 ? "all is well" : "\(last.findings) found"
                Terminal.output("\(last.files) files, \(ByteSize.text(last.bytes)) read: \(result)")
            }
            if last.findings > 0 { throw ExitStatus.partial }
        }
    }

    struct Prune: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune",
            abstract: "Remove old backups, and delete files that no other backup has.",
            usage: "tintype backup prune <folder> --keep <count>",
            discussion: """
                The newest backup always stays.

                EXAMPLES
                  tintype backup prune backups --keep 30
                """)

        @Argument(help: ArgumentHelp("A folder of backups.", valueName: "folder"))
        var folder: String

        @Option(help: ArgumentHelp("The number of newest backups to keep.", valueName: "count"))
        var keep: Int

        @Flag(help: "Print one JSON document.")
        var json = false

        func validate() throws {
            guard keep >= 1 else { throw ValidationError("--keep must be 1 or more") }
        }

        func run() async throws {
            let removed = try await BackupFolder(toChange: folder).prune { _, age in age >= keep }
            if json { return Terminal.outputJSON(removed) }
            let size = ByteSize.text(removed.bytes)
            Terminal.output("\(removed.backups) backups removed, with \(removed.files) files, \(size)")
        }
    }
}
