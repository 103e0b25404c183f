import API
import ArgumentParser
import HTTPTypes
import Keeping
import Model
import Service
import TreeModel
import Uploads

/// Shows or sets the amounts that users may store.
struct QuotaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quota",
        abstract: "Show the disk usage of users, and show or set their limits.",
        discussion: """
            Originals, objects of the bucket and unfinished uploads count; renditions and garbage do not. The setting \
            user-quota has the limit for accounts that people created themselves.

            EXAMPLES
              tintype quota show maria
              tintype quota set maria 5GB
              tintype quota ls --sort bytes --limit 10
            """,
        subcommands: [Show.self, Set.self, QuotaListCommand.self])

    /// A user whose limit is shown or set, and the form of the output.
    struct Target: ParsableArguments {
        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The id, e-mail address or name of the user.", valueName: "user"))
        var user: String

        @Flag(help: "Print one JSON document.")
        var json = false

        /// - Throws: `Failure` when the argument names no user.
        func id() async throws -> UserID {
            let uid = try await storage.uid(of: user)
            guard let id = UserID(uid) else { throw Failure.noUserID(uid) }
            return id
        }

        func print(_ usage: UsageDocument) {
            guard !json else { return Terminal.outputJSON(usage) }
            let limit = usage.quota.map { "of \(ByteSize.text($0))" + reason(usage.quotaScope) } ?? "without a limit"
            Terminal.output("\(usage.user ?? user)  \(ByteSize.text(usage.used)) used, \(limit)".printable)
        }

        /// Returns the part of the setting that the limit comes from; empty when it was set for the user.
        private func reason(_ scope: QuotaScope?) -> String {
            switch scope {
            case .user, nil: ""
            case .everybody: " (user-quota)"
            case let group?: " (user-quota, \(group.rawValue))"
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the amount that a user stores and may store.",
            usage: "tintype quota show <user> [<options>]",
            discussion: """
                The user is a person or an account, even one without files.

                EXAMPLES
                  tintype quota show maria
                  tintype quota show maria --json | jq .used
                """)

        @OptionGroup var target: Target

        func run() async throws {
            let uid = try await target.id()
            target.print(
                try await target.storage.perform { service in
                    try await service.read(.get, "/v1/usage/\(uid)", as: UsageDocument.self)
                } locally: { pipeline in
                    try await pipeline.upgrade.usage.run()
                    return try await pipeline.usage.document(of: uid)
                })
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Set the amount that a user may store.",
            usage: "tintype quota set <user> <amount> [<options>]",
            discussion: """
                The amount is a size such as 5GB or 500MiB, none for no limit, or default for the limit of the setting \
                user-quota, which applies to accounts that people created themselves. The user is a person or an \
                account, even one without files. Stored files always stay, even above the limit: only new uploads are \
                rejected.

                EXAMPLES
                  tintype quota set maria 5GB
                  tintype quota set maria default
                """)

        @OptionGroup var target: Target

        @Argument(help: ArgumentHelp("The new limit: a size such as 5GB, none or default.", valueName: "amount"))
        var amount: String

        func validate() throws { _ = try quota() }

        private func quota() throws -> UserQuota {
            guard let quota = UserQuota(amount) else {
                throw ValidationError(
                    "\(amount.prefix(80)) is not an amount such as 5GB or 500MiB, nor none, nor default")
            }
            return quota
        }

        func run() async throws {
            let (uid, quota) = (try await target.id(), try quota())
            target.print(
                try await target.storage.perform { service in
                    try await service.read(
                        .put, "/v1/usage/\(uid)/quota", json: JSONValue.object(["quota": .string(quota.text)]))
                } locally: { pipeline in
                    try await pipeline.upgrade.usage.run()
                    let reader = pipeline.usage
                    _ = try await reader.document(of: uid)
                    try await pipeline.quotas.set(quota, for: uid)
                    return try await reader.document(of: uid)
                })
        }
    }
}
