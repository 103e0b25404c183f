import API
import ArgumentParser
import Foundation
import HTTPTypes
import Keeping
import Service
import Store
import Uploads

/// Brings a store of an earlier version forward, confirms that, or takes it back.
struct UpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Bring a store of an earlier version forward.",
        usage: "tintype upgrade [<subcommand>] [<options>]",
        discussion: """
            The service does that by itself when it starts on a store of an earlier version; this command does it without \
            starting the service, and tells how far it is. The tree is copied first, and until you confirm that all is well, \
            no file is deleted, so that there is a way back. What was posted meanwhile is lost on that way. A store of a \
            later version is refused.

            EXAMPLES
              tintype upgrade
              tintype upgrade confirm
            """,
        subcommands: [Run.self, Confirm.self, Back.self], defaultSubcommand: Run.self)
}

extension UpgradeCommand {
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Do what there is to do, or tell how far it is.",
            usage: "tintype upgrade [run] [<options>]",
            discussion: """
                EXAMPLES
                  tintype upgrade run --json
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
            case .upgrading: Terminal.output("the store is being brought forward\(from) to \(document.format)")
            case .unconfirmed:
                Terminal.output("the store was brought forward\(from) to \(document.format)")
                Terminal.note("see that all is well, and run \"tintype upgrade confirm\"; or \"tintype upgrade back\"")
            }
        }
    }

    struct Confirm: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "confirm",
            abstract: "Say that all is well, and let the way back go.",
            usage: "tintype upgrade confirm [<options>]",
            discussion: """
                EXAMPLES
                  tintype upgrade confirm
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
            Terminal.output("the store has format \(document.format), and the copy of the tree before it is gone")
        }
    }

    struct Back: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "back",
            abstract: "Put the store back to what it was before.",
            usage: "tintype upgrade back [<options>]",
            discussion: """
                Stop the service first. What was posted since the upgrade is lost; its photos stay in blobs/. Then start the \
                earlier version.

                EXAMPLES
                  tintype upgrade back
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(name: .shortAndLong, help: "Do it without asking.")
        var yes = false

        func run() async throws {
            let path = try storage.configuration().value(\.storage)
            if !yes {
                try Terminal.confirm("put \(path) back to what it was before the upgrade, without what came since")
            }
            try StoreUpgrade.goBack(path: path)
            Terminal.output("\(path) is as it was before the upgrade; start the version that wrote it")
        }
    }
}
