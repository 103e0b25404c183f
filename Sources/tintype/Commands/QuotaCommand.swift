import API
import ArgumentParser
import HTTPTypes
import Keeping
import Model
import Service
import TreeModel
import Uploads

/// Shows or sets the amount that a user may store.
struct QuotaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quota",
        abstract: "Show or set the amount that a user may store.",
        usage: "tintype quota <user> [<amount>] [<options>]",
        discussion: """
            Originals, objects of the bucket and unfinished uploads count; renditions and garbage do not. Without an amount \
            the command shows the usage. The amount is a size such as 5GB or 500MiB, none for no limit, or default for the \
            limit of the setting user-quota, which applies to accounts that people created themselves. The user is \
            a person or an account, even one without files. Stored files always stay, even above the limit: only new uploads \
            are rejected.

            EXAMPLES
              tintype quota maria
              tintype quota maria 5GB
              tintype quota maria default
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("The user.", valueName: "user"))
    var user: String

    @Argument(help: ArgumentHelp("The new limit: a size such as 5GB, none or default.", valueName: "amount"))
    var amount: String?

    @Flag(help: "Print one JSON document.")
    var json = false

    func validate() throws {
        if let amount, UserQuota(amount) == nil {
            throw ValidationError("\(amount.prefix(80)) is not an amount such as 5GB or 500MiB, nor none, nor default")
        }
    }

    func run() async throws {
        guard let uid = UserID(user) else { throw Failure.noUserID(user) }
        let quota = amount.flatMap { UserQuota($0) }
        let usage = try await storage.perform { service in
            guard let quota else { return try await service.read(.get, "/v1/usage/\(uid)", as: UsageDocument.self) }
            return try await service.read(
                .put, "/v1/usage/\(uid)/quota", json: JSONValue.object(["quota": .string(quota.text)]))
        } locally: { pipeline in
            try await pipeline.upgrade.usage.run()
            let reader = pipeline.usage
            let usage = try await reader.document(of: uid)
            guard let quota else { return usage }
            try await pipeline.quotas.set(quota, for: uid)
            return try await reader.document(of: uid)
        }
        guard !json else { return Terminal.outputJSON(usage) }
        let limit = usage.quota.map { "of \(StatusText.size($0))" + reason(usage.quotaScope) } ?? "without a limit"
        Terminal.output("\(uid)  \(StatusText.size(usage.used)) used, \(limit)")
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
