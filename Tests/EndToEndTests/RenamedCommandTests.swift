import Foundation
import TestSupport
import Testing

@Suite("Earlier names of commands, and other words for them", .timeLimit(.minutes(20)))
struct RenamedCommandTests {
    /// Names with arguments or options that the table of the changelog lacks, and the lines that are recommended.
    private static let others: [(arguments: [String], line: String)] = [
        (["announce", "Dinner is at seven", "--to", "ann"], "tintype announcement add 'Dinner is at seven' --to ann"),
        (["announce", "It's late\n"], #"tintype announcement add 'It'\''s late\n'"#),
        (["announcements"], "tintype announcement"),
        (["gc", "--delete", "--max-share", "20"], "tintype store gc --delete --max-share 20"),
        (["check", "--help"], "tintype store check --help"),
        (["help", "gc"], "tintype help store gc"),
        (["help", "inbox", "drop"], "tintype help inbox rm"),
        (["notifications", "--read-all", "ann", "--json"], "tintype notification read ann --json"),
        (["posts", "--user", "maria"], "tintype post --user maria"),
        (["quota", "ann", "--json"], "tintype quota show ann --json"),
        (["quota", "ann", "default", "--json"], "tintype quota set ann default --json"),
        (["unclaimed"], "tintype store unclaimed"),
        (["upgrade", "run"], "tintype store upgrade run"),
    ]

    /// Returns the rows of the changelog's table: the earlier lines, and the present ones.
    private func table() throws -> [(earlier: String, present: String)] {
        let changelog = try text(Fixture.folder + "/../Documentation/Changelog.md")
        return changelog.matches(of: /\| `tintype ([^`]+)` \| `tintype ([^`]+)` \|/)
            .filter { !$0.output.2.hasPrefix("api ") && !$0.output.2.hasPrefix("audience ") }.map {
                (String($0.output.1), String($0.output.2))
            }
    }

    @Test("Each is wrong usage, and one line has the present name with the same arguments")
    func renamed() async throws {
        let rows = try table().map { ($0.earlier.split(separator: " ").map(String.init), "tintype " + $0.present) }
        #expect(rows.count == 36)
        for (arguments, line) in rows + Self.others.map({ ($0.arguments, $0.line) }) {
            let told = try await run(arguments)
            #expect(told.status == 2 && told.output.isEmpty, "\(arguments): \(told)")
            #expect(
                told.errors.hasPrefix("tintype: \"") && told.errors.hasSuffix(" now. Run \"\(line)\".\n"), "\(told)")
            #expect(told.errors.split(separator: "\n").count == 1, "\(told)")
        }
        #expect(
            try await run(["du"]).errors == "tintype: \"du\" is called \"quota ls\" now. Run \"tintype quota ls\".\n")
    }

    @Test("Each present name is a command with a help of its own")
    func present() async throws {
        for row in try table() {
            let name = row.present.split(separator: " ").prefix { $0.allSatisfy(\.isLowercase) }.map(String.init)
            let help = try await run(["help"] + name)
            #expect(help.status == 0 && help.output.contains("USAGE: tintype \(name[0])"), "\(name): \(help)")
        }
    }

    @Test("A group that has the name of a removed command is not said to be gone")
    func sameName() async throws {
        let told = try await run(["flag", "praise"])
        let words = "tintype: there is no command \"praise\"; there are dismiss, ls "
        #expect(told.status == 2 && told.errors.hasPrefix(words), "\(told)")
    }

    @Test("A word that other programs have for a verb is wrong usage, and the error has the verb of the group")
    func verbs() async throws {
        let words = [
            "list": "ls", "delete": "rm", "remove": "rm", "create": "add", "new": "add", "get": "show", "edit": "set",
        ]
        for group in try await run(["lists", "commands"]).output.split(separator: "\n").map({ String($0.dropFirst(8)) })
        {
            let help = try await run([group, "--help"]).output
            guard help.contains("SUBCOMMANDS:") else { continue }
            for (word, verb) in words {
                let told = try await run([group, word, "x"])
                #expect(told.status == 2 && told.output.isEmpty, "\(group) \(word): \(told)")
                // An earlier verb of this name has its own answer.
                if told.errors.contains("any more") { continue }
                let hasVerb = help.contains(try Regex("(?m)^  \(verb)( |$)"))
                let names = told.errors.contains("\"\(verb)\"") || told.errors.contains("tintype \(group) \(verb)")
                #expect(!hasVerb || names, "\(group) \(word): \(told)")
            }
        }
    }

    @Test("A word that people have for a group is wrong usage, and the error has a command that exists")
    func groupWords() async throws {
        let words = [
            "people": "person", "member": "user", "members": "user", "account": "user", "accounts": "user",
            "users": "user", "invitation": "invite", "audiences": "audience", "class": "audience", "usage": "quota ls",
            "messages": "announcement", "send": "upload", "failures": "inbox", "images": "photo", "settings": "config",
            "requests": "invite requests", "children": "invite children", "moderate": "post moderate",
            "password": "user password", "token": "user token", "search": "person search", "run": "serve",
        ]
        for (word, command) in words {
            let told = try await run([word, "ls"])
            #expect(told.status == 2 && told.errors.contains("did you mean \"\(command)\"?"), "\(word): \(told)")
            let help = try await run(["help"] + command.split(separator: " ").map(String.init))
            #expect(help.status == 0 && help.output.contains("USAGE: tintype \(command)"), "\(command): \(help)")
        }
    }

    @Test("The groups of the documents are those of the program, and each has a verb in its help")
    func groups() async throws {
        let listed = try await run(["lists", "commands"]).output.split(separator: "\n").map { String($0.dropFirst(8)) }
        #expect(listed.count == 26, "\(listed)")
        let page = try text(Fixture.folder + "/../Documentation/Commands.md")
        let documented = page.matches(of: /\| `tintype ([a-z]+)/).map { String($0.output.1) }
        #expect(Set(documented) == Set(listed))
        for name in ["user", "key", "person", "announcement", "outbox", "inbox", "post", "flag", "quota", "audience"] {
            let help = try await run([name, "--help"]).output
            #expect(help.contains(/(?m)^  ls( \(default\))?\s/), "\(name): \(help)")
        }
    }
}
