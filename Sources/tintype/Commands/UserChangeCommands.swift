import API
import ArgumentParser
import HTTPTypes
import TreeModel
import Uploads

extension UserCommand {
    /// Disables an account.
    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable",
            abstract: "Disable accounts, so that their owners cannot sign in.",
            usage: "tintype user disable <account> ... [<options>]",
            discussion: """
                Sessions end, and tokens that were issued are rejected from now on. Posts stay.

                EXAMPLE
                  tintype user disable maria@example.com
                """)

        @OptionGroup var choice: Choice

        func run() async throws { try await choice.setDisabled(true) }
    }

    /// Enables a disabled account.
    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable",
            abstract: "Enable disabled accounts.",
            usage: "tintype user enable <account> ... [<options>]",
            discussion: """
                People have to sign in again: old tokens are still rejected.

                EXAMPLE
                  tintype user enable maria@example.com
                """)

        @OptionGroup var choice: Choice

        func run() async throws { try await choice.setDisabled(false) }
    }

    /// Sets a new password.
    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "password",
            abstract: "Set a new password, and end all sessions of the account.",
            usage: "tintype user password <account> ... [<options>]",
            discussion: """
                On a terminal the command asks for the password, which is not shown. A generated password is printed after \
                the id.

                EXAMPLES
                  tintype user password maria@example.com
                  tintype user password maria --generate-password
                """)

        @OptionGroup var choice: Choice

        @OptionGroup var source: PasswordOptions

        func run() async throws {
            let name = try choice.name()
            let accounts = try await AccountsClient(choice.storage)
            var user = try await accounts.account(name)
            let password = try source.password()
            try await accounts.post("update", ["localId": .string(user.uid), "password": .string(password)])
            user.password = source.generatePassword ? password : nil
            if choice.json { return Terminal.outputJSON(user) }
            Terminal.output("changed  \(user.uid)\(user.password.map { "  \($0)" } ?? "")".printable)
        }
    }

    /// Deletes accounts.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Delete accounts.",
            usage: "tintype user rm <account> ... [<options>]",
            discussion: """
                Sessions end, and tokens that were issued are rejected from now on. Posts and everything else that the \
                person wrote stay; the command prints how many posts, and the line that deletes all of it ("tintype person \
                rm"). It says whether there are invitations with which a person who was removed can come in again. The \
                command shows the accounts and asks for confirmation; use --yes in scripts. With --yes, an account is given \
                by its id or its address, not by its name.

                EXAMPLES
                  tintype user rm maria@example.com
                  tintype user rm --yes ann ed
                """)

        @OptionGroup var choice: Choice

        @Flag(help: "Delete without confirmation.")
        var yes = false

        func run() async throws {
            let accounts = try await AccountsClient(choice.storage)
            var isAdminGone = false
            try await choice.apply(.deleted, accounts, byName: !yes) { users in
                if !yes { try Self.confirm(users) }
            } _: { user in
                try await accounts.post("delete", ["localId": .string(user.uid)])
                if user.isAdmin { isAdminGone = true }
                try await Self.noteRest(of: user, accounts.service)
            }
            if isAdminGone, let left = try? await accounts.all(), !left.contains(where: \.isAdmin) {
                Terminal.note("nobody is an admin any more; tintype init --admin ADDRESS makes somebody one")
            }
            // The accounts are deleted, also if the invitations cannot be read.
            guard let count = try? await InvitationDocument.openCount(try APIClient(choice.storage)), count > 0 else {
                return
            }
            Terminal.note(
                "a person who was removed can come in again with a link or code that has uses left: "
                    + "\(count == 1 ? "1 invitation has" : "\(count) invitations have") some; see tintype invite ls, "
                    + "and withdraw those that the person may know with tintype invite rm")
        }

        private static func confirm(_ users: [UserDocument]) throws {
            for user in users {
                let cells = [user.uid, user.email, user.name, user.isAdmin ? "admin" : nil].compactMap(\.self)
                Terminal.note(cells.joined(separator: "  ").printable)
            }
            let accounts = users.count == 1 ? "this account" : "these \(users.count) accounts"
            try Terminal.confirm("delete \(accounts) for good, and keep the posts")
        }

        /// Prints what stays of the person whose account was deleted, and how it is deleted.
        private static func noteRest(of user: UserDocument, _ service: APIClient) async throws {
            let person: PersonDocument
            do {
                person = try await service.read(.get, PersonID.path(user.uid))
            } catch let error as Failure where error.code == .notFound {
                return  // There is nothing else.
            }
            let posts = person.counts?.posts ?? 0
            let count = posts == 1 ? "1 post" : "\(posts) posts"
            let rest = "kept: the profile of \(person.fullName.oneLine) and \(count)"
            Terminal.note("\(rest); to delete them too, run \"tintype person rm \(user.uid.shellArgument)\"".printable)
        }
    }
}

extension InvitationDocument {
    /// Returns the number of invitations that anybody who has the code can use.
    fileprivate static func openCount(_ client: APIClient) async throws -> Int {
        var count = 0
        let reader: Pages.Reader<InvitationDocument> = { size, position in
            let page: InvitationPageDocument = try await client.read(
                .get, "/v1/invitations", query: ["limit": "\(size)", "after": position])
            return (page.invitations, page.next)
        }
        try await Pages.forEach(reader) { if $0.state == "valid", $0.email == nil { count += 1 } }
        return count
    }
}

extension UserCommand.Choice {
    fileprivate func setDisabled(_ isDisabled: Bool) async throws {
        let accounts = try await AccountsClient(storage)
        try await apply(isDisabled ? .disabled : .enabled, accounts) { user in
            try await accounts.post("update", ["localId": .string(user.uid), "disableUser": .bool(isDisabled)])
        }
    }
}
