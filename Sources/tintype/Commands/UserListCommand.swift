import API
import ArgumentParser
import Foundation
import Uploads

extension UserCommand {
    /// Lists accounts.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List accounts in the order of their names.",
            usage: "tintype user ls [<options>]",
            discussion: """
                Each line has the id, the e-mail address, the name, the state, and the time of the last sign-in. The order \
                is that of the names, whatever their case and accents; an account without a name is listed by its \
                address, or else by its id.

                EXAMPLES
                  tintype user ls
                  tintype user ls --limit 10
                  tintype user ls --json | jq -r 'select(.disabled) | .uid'
                """)

        @OptionGroup var storage: StorageOptions

        @OptionGroup var list: ListOptions

        func run() async throws {
            let accounts = try await AccountsClient(storage)
            let users = try await accounts.all().sorted { ($0.place, $0.uid) < ($1.place, $1.uid) }
            try await list.print(
                pageSize: .max, nothing: "there are no accounts; tintype user add creates one",
                columns: [
                    .whole("id"), .whole("e-mail"), .text("name"), .whole("state"), .whole("last sign-in"),
                ]
            ) { size, _ in
                (Array(users.prefix(size)), nil)
            } row: {
                $0.cells
            }
        }
    }

    /// Shows an account.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show all data of accounts except passwords.",
            usage: "tintype user show <account> ... [<options>]",
            discussion: """
                EXAMPLES
                  tintype user show maria@example.com
                  tintype user show maria --json | jq .claims
                """)

        @OptionGroup var choice: Choice

        func run() async throws {
            let accounts = try await AccountsClient(choice.storage)
            try await choice.batch.forEach { name in
                let user = try await accounts.account(name)
                guard !choice.json else { return Terminal.outputJSON(user) }
                for (name, value) in user.fields {
                    Terminal.output("\(name.padding(toLength: 14, withPad: " ", startingAt: 0))\(value)".printable)
                }
            }
        }
    }
}

extension UserDocument {
    /// The state of the account, in words.
    private var state: String {
        let words = [isDisabled ? "disabled" : nil, isAdmin ? "admin" : nil].compactMap(\.self)
        return words.isEmpty ? "active" : words.joined(separator: ",")
    }

    /// The text by which the account has its place in a list.
    fileprivate var place: String { (name.flatMap { $0.isEmpty ? nil : $0 } ?? email ?? uid).folded }

    /// The cells of the account, with a dash for missing fields.
    fileprivate var cells: [String] { [uid, email ?? "-", name ?? "-", state, lastSignIn?.time ?? "never"] }

    /// The fields with their names, without those that are not set.
    fileprivate var fields: [(name: String, value: String)] {
        let address = email.map { "\($0) (\(isVerified ? "" : "not ")verified)" }
        let claims = claims.map { String(decoding: $0.json(), as: UTF8.self) }
        let fields: [(String, String?)] = [
            ("id", uid), ("e-mail", address), ("name", name), ("phone", phone), ("state", state), ("claims", claims),
            ("signs in by", providers.isEmpty ? "nothing" : providers.joined(separator: ", ")),
            ("created", created?.time), ("last sign-in", lastSignIn?.time ?? "never"),
        ]
        return fields.compactMap { name, value in value.map { (name, $0) } }
    }
}
