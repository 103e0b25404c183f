import API
import ArgumentParser
import Foundation
import HTTPTypes
import Keeping
import Service
import Store
import Uploads

/// Upgrades a store of an earlier version, confirms the upgrade, or undoes it.
struct StoreUpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Upgrade a store of an earlier version.",
        usage: "tintype store upgrade [<subcommand>] [<options>]",
        discussion: """
            The service does this by itself when it starts on a store of an earlier version; this command does it without \
            starting the service, and shows the progress. The tree is copied first. Until you confirm the upgrade, no file is \
            deleted, so that it can be undone; undoing loses everything that was posted meanwhile. A store of a later version \
            is rejected.

            EXAMPLES
              tintype store upgrade
              tintype store upgrade confirm
            """,
        subcommands: [Run.self, Confirm.self, Back.self], defaultSubcommand: Run.self)
}

extension StoreUpgradeCommand {
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Upgrade the store, or show the progress.",
            usage: "tintype store upgrade [run] [<options>]",
            discussion: """
                EXAMPLES
                  tintype store upgrade run --json
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let document = try await storage.perform { service in
                try await service.read(.get, "/v1/upgrade", as: UpgradeDocument.self)
            } locally: { pipeline in
                try await pipeline.upgrade.run()
                return pipeline.storage.upgrade
            }
            if json { return Terminal.outputJSON(document) }
            let from = document.from.map { " from format \($0)" } ?? ""
            switch document.state {
            case .current: Terminal.output("the store has format \(document.format): there is nothing to do")
            case .upgrading: Terminal.output("the store is being upgraded\(from) to \(document.format)")
            case .unconfirmed:
                Terminal.output("the store was upgraded\(from) to \(document.format)")
                Terminal.note(
                    "check the store, then run \"tintype store upgrade confirm\", or \"tintype store upgrade back\"")
            }
        }
    }

    struct Confirm: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "confirm",
            abstract: "Confirm that all is well; the upgrade can then no longer be undone.",
            usage: "tintype store upgrade confirm [<options>]",
            discussion: """
                EXAMPLES
                  tintype store upgrade confirm
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let document = try await storage.perform { service in
                try await service.read(.post, "/v1/upgrade/confirm", as: UpgradeDocument.self)
            } locally: { pipeline in
                try pipeline.storage.confirmUpgrade()
                return pipeline.storage.upgrade
            }
            if json { return Terminal.outputJSON(document) }
            Terminal.output("the store has format \(document.format), and the copy of the earlier tree is deleted")
        }
    }

    struct Back: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "back",
            abstract: "Undo the upgrade.",
            usage: "tintype store upgrade back [<options>]",
            discussion: """
                Stop the service first. Everything that was posted since the upgrade is lost; its photos stay in blobs/. Then \
                start the earlier version.

                EXAMPLES
                  tintype store upgrade back
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(name: .shortAndLong, help: "Undo without confirmation.")
        var yes = false

        func run() async throws {
            let path = try storage.configuration().value(\.storage)
            if !yes {
                try Terminal.confirm("undo the upgrade of \(path), and lose everything posted since")
            }
            try StoreUpgrade.goBack(path: path)
            Terminal.output("\(path) is as it was before the upgrade; start the version that wrote it")
        }
    }
}
