import API
import ArgumentParser
import Foundation
import Pipeline

extension UserCommand {
    /// Lists accounts.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List accounts in the order of their ids.",
            discussion: """
                Each line has the id, the e-mail address, the name, the state, and the time of the last sign-in.

                EXAMPLES
                  tintype user ls
                  tintype user ls --limit 10
                  tintype user ls --json | jq -r 'select(.disabled) | .uid'
                """)

        @OptionGroup var storage: StorageOptions

        @Option(help: ArgumentHelp("The number of accounts (default: all).", valueName: "n"))
        var limit: Int?

        @Flag(help: "Print one JSON document for each account.")
        var json = false

        func validate() throws {
            guard limit.map({ $0 >= 1 }) ?? true else { throw ValidationError("--limit has to be 1 or more") }
        }

        func run() async throws {
            let accounts = try await AccountsClient(storage)
            var count = 0
            var token: String?
            repeat {
                let size = min(AccountsClient.maxPage, (limit ?? .max) - count)
                let page = try await accounts.page(after: token, limit: size)
                for user in page.users { json ? Terminal.outputJSON(user) : Terminal.output(user.line) }
                count += page.users.count
                token = page.users.isEmpty ? nil : page.next
            } while token != nil && count < limit ?? .max
            if count == 0 { Terminal.note("no accounts yet; tintype user add makes one") }
        }
    }

    /// Shows an account.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show all that is known of accounts, but passwords.",
            discussion: """
                EXAMPLES
                  tintype user show maria@example.com
                  tintype user show maria --json | jq .claims
                """)

        @OptionGroup var choice: Choice

        func run() async throws {
            let accounts = try await AccountsClient(choice.storage)
            for name in choice.names {
                let user = try await accounts.account(name)
                guard !choice.json else {
                    Terminal.outputJSON(user)
                    continue
                }
                for (name, value) in user.fields {
                    Terminal.output("\(name.padding(toLength: 14, withPad: " ", startingAt: 0))\(value)".printable)
                }
            }
        }
    }
}

extension UserDocument {
    /// What the person may do, in words.
    private var state: String {
        let words = [isDisabled ? "disabled" : nil, isAdmin ? "admin" : nil].compactMap(\.self)
        return words.isEmpty ? "active" : words.joined(separator: ",")
    }

    private static func time(_ milliseconds: Int64?) -> String? {
        milliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000).formatted(.iso8601) }
    }

    /// The account on one line, a dash for what there is not.
    fileprivate var line: String {
        [uid, email ?? "-", name ?? "-", state, Self.time(lastSignIn) ?? "never"].joined(separator: "  ").printable
    }

    /// All that is known, with its names.
    fileprivate var fields: [(name: String, value: String)] {
        let address = email.map { "\($0) (\(isVerified ? "" : "not ")verified)" }
        let claims = claims.map { String(decoding: $0.json(), as: UTF8.self) }
        let fields: [(String, String?)] = [
            ("id", uid), ("e-mail", address), ("name", name), ("phone", phone), ("state", state), ("claims", claims),
            ("signs in by", providers.isEmpty ? "nothing" : providers.joined(separator: ", ")),
            ("created", Self.time(created)), ("last sign-in", Self.time(lastSignIn) ?? "never"),
        ]
        return fields.compactMap { name, value in value.map { (name, $0) } }
    }
}
