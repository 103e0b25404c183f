import API
import ArgumentParser
import HTTPTypes

extension UserCommand {
    /// Issues a token.
    struct Token: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "token",
            abstract: "Print a token of an account, for scripts and tests.",
            usage: "tintype user token <account> ... [<options>]",
            discussion: """
                An ID token grants the rights of the account until the token expires, or the account is disabled. With \
                --custom the command prints a custom token, with which an app signs in (signInWithCustomToken); the \
                account need not exist yet. A custom token is valid for an hour.

                EXAMPLES
                  tintype user token maria@example.com
                  tintype user token maria --lifetime 10m --claims '{"editor":true}'
                  tintype user token maria --custom
                """)

        @OptionGroup var choice: Choice

        @Option(
            help: ArgumentHelp(
                "The time after which the token expires, such as 10m or 24h (default: 1h).", valueName: "time"))
        var lifetime: String?

        @Option(help: ArgumentHelp("A JSON object that is added to the token.", valueName: "json"))
        var claims: String?

        @Flag(help: "Print a custom token, with which an app signs in.")
        var custom = false

        func validate() throws {
            if custom, lifetime != nil { throw ValidationError("a custom token is valid for an hour: no --lifetime") }
        }

        func run() async throws {
            let name = try choice.name()
            let seconds = try lifetime.map { text in
                guard let time = SettingParsers.duration(text) else {
                    throw ValidationError("--lifetime needs \(SettingParsers.durationExpectation)")
                }
                return "\(time.components.seconds)"
            }
            let accounts = try await AccountsClient(choice.storage)
            let token: IssuedTokenDocument = try await accounts.service.read(
                .post, "/v1/users/\((try await uid(name, accounts)).percentEncoded)/token",
                query: ["lifetime": seconds, "claims": claims, "custom": custom ? "true" : nil])
            if choice.json { Terminal.outputJSON(token) } else { Terminal.output(token.token) }
        }

        /// Returns the id of the account. For a custom token, it may be an id without an account.
        private func uid(_ name: String, _ accounts: AccountsClient) async throws -> String {
            do {
                return try await accounts.account(name, byName: !custom).uid
            } catch let error as Failure where error.code == .unknownUser && custom {
                return name
            }
        }
    }
}
