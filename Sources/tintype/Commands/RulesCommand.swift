import ArgumentParser
import Foundation
import HTTPTypes

/// Checks, tests, explains and sets security rules.
struct RulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Check, test, explain and set the security rules.",
        discussion: """
            Rules decide who may read and write which parts of the tree; storage rules decide who may fetch which photos. \
            "check" and "test" need no service.

            EXAMPLES
              tintype rules show > rules.json
              tintype rules check rules.json
              tintype rules set rules.json
              tintype rules set --preset members
              tintype rules explain --as maria --read posts
              tintype rules explain --as maria --write people/anna/displayName '"Maria"'
            """,
        subcommands: [
            RulesCheckCommand.self, RulesTestCommand.self, RulesExplainCommand.self, RulesShowCommand.self,
            RulesSetCommand.self,
        ])

    /// The path of the storage rules in the service.
    static let storageRulesAddress = "/v1/storage-rules"

    /// Reads the storage rules in the form in which they were written.
    static func storageRules(of target: Target) async throws -> String {
        String(decoding: try await APIClient(target.storage).send(.get, storageRulesAddress), as: UTF8.self)
    }

    /// The error for storage rules with the name of a tree.
    static let oneForAllTrees = "--ns is for the rules of a tree; the service has one set of storage rules"

    /// The tree of the running service whose rules the command uses.
    struct Target: ParsableArguments {
        @OptionGroup var storage: StorageOptions

        @Option(
            name: [.customLong("ns"), .customLong("namespace")],
            help: ArgumentHelp("The name of the tree (default: the service's own).", valueName: "name"))
        var ns: String?

        /// The path of the rules in the service.
        static let address = "/.settings/rules.json"

        /// Reads the rules in the form in which they were written.
        func text() async throws -> String {
            String(decoding: try await APIClient(storage).send(.get, Self.address, query: query), as: UTF8.self)
        }

        var query: [String: String?] { ["ns": ns] }
    }
}
