import Foundation
import TestSupport
import Testing

@Suite("People that arguments name", .timeLimit(.minutes(10)))
struct PersonFinderTests {
    private typealias Outcome = (status: Int32, output: String, errors: String)

    /// Runs a body with a service that has accounts: two are called Max.
    private func withClub(
        _ body: (@escaping ([String]) async throws -> (status: Int32, output: String, errors: String)) async throws ->
            Void
    ) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: "\(scratch.path)/Storage")
            let storage = ["--storage", daemon.storage]
            for (uid, email, name) in [
                ("u1", "ann@example.com", "Ánn Lee"), ("u2", "max@example.com", "Max"), ("u3", "m@example.com", "max"),
                ("u4", "ed@example.com", "Ed"),
            ] {
                let made = try await run(
                    ["user", "add", email, "--uid", uid, "--name", name, "--generate-password"] + storage)
                #expect(made.status == 0, "\(made)")
            }
            try await body { try await run($0 + storage) }
            try await daemon.stop()
        }
    }

    @Test("An account is found by its id, its address and its name, in every command that takes a person")
    func found() async throws {
        try await withClub { tintype in
            for person in ["u1", "ANN@example.com", "ann lee"] {
                let sent = try await tintype(["upload", "--again", "--user", person, "--text", "by \(person)"])
                #expect(sent.status == 0, "\(person): \(sent)")
                for command in [
                    ["person", "show", person], ["person", "set", person, "--bio", "Rows."], ["quota", "show", person],
                    ["quota", "set", person, "5GB"], ["quota", "ls", person], ["notification", "ls", person],
                    ["notification", "read", person], ["announcement", "add", "Hello", "--to", person],
                    ["post", "ls", "--user", person], ["user", "show", person], ["store", "check", "--user", person],
                    ["rethumb", "plan", "--user", person], ["photo", "scrub", "--check", "--user", person],
                ] {
                    let done = try await tintype(command)
                    #expect(done.status == 0, "\(command): \(done)")
                }
                #expect(try await tintype(["quota", "show", person]).output.hasPrefix("u1  "))
                let posts = try await tintype(["post", "ls", "--user", person])
                #expect(posts.output.contains("by \(person)"), "\(posts)")
            }
            let said = try await tintype(["upload", "--user", "ann lee", "--text", "hello"])
            #expect(said.errors.contains("\"ann lee\" is Ánn Lee (ann@example.com)"), "\(said)")
            let people = try await tintype(["person", "ls", "--json"]).output
            #expect(people.split(separator: "\n").count == 4, "nobody is new: \(people)")
        }
    }

    @Test("A name that nobody has, or that several have, is refused with those who may be meant")
    func unknown() async throws {
        try await withClub { tintype in
            let cases: [(arguments: [String], words: String)] = [
                (["quota", "show", "ann@exmple.com"], "did you mean Ánn Lee (ann@example.com)?"),
                (["user", "show", "Ann Le"], "no account \"Ann Le\"; did you mean Ánn Lee (ann@example.com)?"),
                (["user", "show", "xyzxyz"], "List all accounts with tintype user ls"),
                (["person", "show", "Max"], "\"Max\" is the name of 2: max@example.com, m@example.com"),
                (["user", "disable", "max"], "Give an address or an id"),
                (["audience", "set", "board", "--name", "Board", "--owner", "Max"], "is the name of 2"),
                (["upload", "--user", "nobody@example.com", "--text", "x"], "no person or account"),
                (["user", "rm", "--yes", "Ed"], "by id or address"),
                (["person", "rm", "--yes", "Ann Lee"], "Leave --yes out to use a name"),
            ]
            for row in cases {
                let told = try await tintype(row.arguments)
                #expect(told.status == 1 && told.errors.contains(row.words), "\(row.arguments): \(told)")
            }
            #expect(try await tintype(["user", "show", "Ed"]).status == 0, "the account is there still")
            #expect(try await tintype(["person", "ls"]).output.split(separator: "\n").count == 4)
        }
    }

    @Test("A post by an unknown id makes a person, and the command says so if there are accounts")
    func made() async throws {
        try await withClub { tintype in
            let new = try await tintype(["upload", "--user", "ann", "--text", "hello"])
            #expect(new.status == 0 && new.errors.contains("\"ann\" yet: it is the id of a new person"), "\(new)")
            #expect(new.errors.contains("did you mean Ánn Lee (ann@example.com)?"), "\(new)")
            let again = try await tintype(["upload", "--user", "ann", "--text", "hello again"])
            #expect(again.status == 0 && again.errors.isEmpty, "\(again)")
            #expect(try await tintype(["person", "ls"]).output.hasPrefix("ann "))
            let alike = try await tintype(["upload", "--user", "Ed", "--text", "hello"])
            #expect(alike.errors.contains("\"Ed\" yet: it is the id of a new person"), "not a name: \(alike)")
            #expect(try await tintype(["person", "show", "Ed"]).output.contains("id         Ed\n"))
        }
    }

    @Test("A name in the form of an address reaches nobody, and each command says whom a name means")
    func nameLikeAddress() async throws {
        try await withClub { tintype in
            let stranger = [
                "user", "add", "evil@example.com", "--uid", "evil", "--name", "boss@example.com", "--generate-password",
            ]
            #expect(try await tintype(stranger).status == 0)
            let boss = "boss@example.com"
            for command in [
                ["user", "token", boss], ["user", "token", boss, "--custom"],
                ["user", "password", boss, "--generate-password"],
                ["user", "disable", boss], ["user", "show", boss], ["user", "rm", boss], ["user", "rm", boss, "--yes"],
                ["audience", "set", "board", "--name", "Board", "--owner", boss], ["quota", "set", boss, "5GB"],
                ["announcement", "add", "Hello", "--to", boss], ["upload", "--user", boss, "--text", "x"],
                ["person", "set", boss, "--bio", "x"], ["person", "rm", boss], ["person", "rm", boss, "--yes"],
            ] {
                let told = try await tintype(command)
                #expect(told.status == 1 && told.output.isEmpty, "\(command): \(told)")
            }
            #expect(try await tintype(["user", "show", "evil"]).output.contains("active"))
            for command in ["token", "disable", "enable", "show"] {
                let told = try await tintype(["user", command, "ann lee"])
                #expect(told.status == 0 && told.errors == "\"ann lee\" is Ánn Lee (ann@example.com)\n", "\(told)")
            }
            #expect(try await tintype(["person", "set", "p1", "--name", "Ann Lee"]).status == 0)
            let both = try await tintype(["user", "token", "ann lee"])
            #expect(both.status == 1 && both.errors.contains("is the name of 2: ann@example.com, p1"), "\(both)")
        }
    }

    @Test("Escape sequences and marks of direction in names and arguments do not reach the terminal")
    func printable() async throws {
        try await withClub { tintype in
            let name = "Zoe\u{1B}[2J\u{202E}"
            let made = ["user", "add", "z@example.com", "--uid", "u5", "--name", name, "--generate-password"]
            #expect(try await tintype(made).status == 0)
            for command in [
                ["quota", "show", "z@exmple.com"], ["user", "show", "z@exmple.com"], ["user", "token", "z@exmple.com"],
                ["user", "show", name], ["notification", "ls", "\u{1B}[2J\u{202E}"],
            ] {
                let told = try await tintype(command)
                #expect(!told.errors.contains("\u{1B}") && !told.errors.contains("\u{202E}"), "\(command): \(told)")
                #expect(told.errors.contains(#"\u{1B}[2J\u{202E}"#), "\(command): \(told)")
            }
        }
    }

    @Test("An id is itself in a store without accounts, whatever people are called")
    func withoutAccounts() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: "\(scratch.path)/Storage")
            let storage = ["--storage", daemon.storage]
            #expect(try await run(["person", "set", "p1", "--name", "maria"] + storage).status == 0)
            for arguments in [["upload", "--user", "maria", "--text", "x"], ["person", "set", "mari", "--name", "M"]] {
                let made = try await run(arguments + storage)
                #expect(made.status == 0 && made.errors.isEmpty, "\(made)")
            }
            let people = try await run(["person", "ls"] + storage).output
            #expect(people == "mari   M\nmaria  maria\np1     maria\n", "\(people)")
            #expect(try await run(["quota", "show", "M"] + storage).output.hasPrefix("mari  "))
            try await daemon.stop()
            #expect(try await run(["quota", "show", "maria"] + storage).status == 0)
            let nameless = try await run(["quota", "show", "m@example.com"] + storage)
            #expect(nameless.status == 1 && nameless.errors.contains("no service runs"), "\(nameless)")
        }
    }
}
