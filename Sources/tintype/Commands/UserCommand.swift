import API
import Access
import ArgumentParser
import Cryptography
import Foundation
import TreeModel
import Uploads

/// Manages the accounts of people.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Create, list, change or delete accounts.",
        discussion: """
            An account lets a person sign in, in an app that uses the service over TCP. These commands need the running \
            service. An account is given by its id, its e-mail address, or its name if no other account has it.

            EXAMPLES
              tintype user add maria@example.com --generate-password
              tintype user ls
              tintype user token maria@example.com
              tintype user disable maria@example.com
            """,
        subcommands: [
            Add.self, List.self, Show.self, Token.self, Disable.self, Enable.self, Password.self, Remove.self,
        ])

    /// The options of commands about accounts.
    struct Choice: ParsableArguments {
        @OptionGroup var storage: StorageOptions

        // Some ids begin with a dash, so the parser reads them as unknown options.
        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp("The ids, e-mail addresses or names of accounts.", valueName: "account"))
        var names: [String]

        @Flag(help: "Print one JSON document for each account.")
        var json = false

        func validate() throws { try PersonID.check(names) }

        /// Returns the only account that is named.
        func name() throws -> String {
            guard let name = names.first, names.count == 1 else { throw ValidationError("name one account") }
            return name
        }

        /// Finds all accounts, applies an action to each, and prints the outcome.
        ///
        /// - Parameters:
        ///   - byName: Whether names count.
        ///   - confirm: Throws unless the action may be applied to the accounts that were found.
        /// - Throws: `ExitStatus` when some or all of them failed.
        func apply(
            _ outcome: OutcomeDocument.Outcome, _ accounts: AccountsClient, byName: Bool = true,
            confirm: ([UserDocument]) throws -> Void = { _ in }, _ action: (UserDocument) async throws -> Void
        ) async throws {
            try await batch.forEach {
                try await accounts.account($0, byName: byName)
            } confirm: { users in
                try confirm(users)
            } _: { user in
                try await action(user)
                json
                    ? Terminal.outputJSON(OutcomeDocument(outcome, uid: user.uid))
                    : Terminal.output("\(outcome.rawValue)  \(user.uid)".printable)
            }
        }

        /// The named accounts as a batch.
        var batch: Batch<String> { Batch(people: names, isJSON: json) }
    }

    /// The source of a new password.
    struct PasswordOptions: ParsableArguments {
        @Option(
            help: ArgumentHelp("A file with the password; - for standard input.", valueName: "file"))
        var passwordFile: String?

        @Flag(help: "Generate a password, and print it.")
        var generatePassword = false

        func validate() throws {
            if passwordFile != nil, generatePassword {
                throw ValidationError("--password-file and --generate-password exclude each other")
            }
        }

        /// Returns the password. A line break at the end of a file is not part of it.
        func password() throws -> String {
            if generatePassword { return try RandomText.make(bytes: 15) }
            if let passwordFile { return try Self.content(of: passwordFile) }
            guard PasswordPrompt.isPossible else {
                throw ValidationError("a password is required; give --password-file FILE or --generate-password")
            }
            return try PasswordPrompt.newPassword()
        }

        private static func content(of path: String) throws -> String {
            let handle = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
            guard let data = try? handle?.read(upToCount: 65_536), let text = String(data: data, encoding: .utf8) else {
                throw ConfigurationError("the password in \(path) cannot be read, or is empty")
            }
            return text.last?.isNewline == true ? String(text.dropLast()) : text
        }
    }
}

extension UserCommand {
    /// Creates an account.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Create an account with an e-mail address and a password.",
            usage: "tintype user add <email> [<options>]",
            discussion: """
                On a terminal the command asks for the password, which is not shown. It prints the id of the account and its \
                address, and the password if it was generated.

                EXAMPLES
                  tintype user add maria@example.com
                  tintype user add ann@example.com --uid ann --generate-password
                  tintype user add ed@example.com --password-file secret \\
                    --claims '{"editor":true}'
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The e-mail address for signing in.", valueName: "email"))
        var email: String

        @Option(
            help: ArgumentHelp("The id, which is also the author of posts (default: random).", valueName: "id"))
        var uid: String?

        @Option(help: ArgumentHelp("The displayed name.", valueName: "name"))
        var name: String?

        @OptionGroup var source: PasswordOptions

        @Flag(help: "Mark the address as verified.")
        var verified = false

        @Option(help: ArgumentHelp("A JSON object that is added to each token, for rules.", valueName: "json"))
        var claims: String?

        @Flag(help: "Add the claim admin=true, which makes the person an admin.")
        var admin = false

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let claims = try addedClaims()
            let accounts = try await AccountsClient(storage)
            let password = try source.password()
            var body: JSONValue = [
                "email": .string(email), "password": .string(password), "emailVerified": .bool(verified),
            ]
            body["localId"] = uid.map(JSONValue.string)
            body["displayName"] = name.map(JSONValue.string)
            body["customAttributes"] = claims.map(JSONValue.string)
            let answer = try await accounts.post("", body)
            var user = try await accounts.account(answer["localId"]?.string ?? "", byName: false)
            user.password = source.generatePassword ? password : nil
            if json { return Terminal.outputJSON(user) }
            Terminal.output(
                [user.uid, user.email ?? "", user.password].compactMap(\.self).joined(separator: "  ").printable)
        }

        /// Returns the claims as text; nil for none.
        private func addedClaims() throws -> String? {
            guard claims != nil || admin else { return nil }
            var object: JSONValue = [:]
            if let claims {
                guard let json = try? JSONValue(json: Data(claims.utf8)), case .object = json else {
                    throw ValidationError(#"--claims needs a JSON object, such as '{"editor":true}'"#)
                }
                object = json
            }
            if admin { object["admin"] = true }
            return String(decoding: object.json(), as: UTF8.self)
        }
    }
}
