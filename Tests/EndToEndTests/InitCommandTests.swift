import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tintype init: settings, rules and an admin, with and without a service", .timeLimit(.minutes(20)))
struct InitCommandTests {
    private func initialize(
        _ storage: String, _ arguments: String..., typing terminalInput: String? = nil
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await run(["init", "--storage", storage] + arguments, terminalInput: terminalInput)
    }

    private func json(_ text: String) throws -> JSON { try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) }

    private func settings(of storage: String) throws -> JSON { try json(text("\(storage)/tintype.json")) }

    @Test("Answers on the command line become settings, rules and an admin, who exists once the service is started")
    func answers() async throws {
        try await withScratch { scratch in
            let rows: [(arguments: [String], rules: String, signUp: String, admin: String)] = [
                (["--visible", "members", "--sign-up", "invitation"], "members", "invitation", "none"),
                (["--visible", "public", "--sign-up", "email"], "public", "email", "none"),
                (["--visible", "classroom"], "classroom", "invitation", "none"),
                ([], "members", "invitation", "none"),
                (["--admin", "ann@example.com", "--generate-password"], "members", "invitation", "created"),
                (
                    ["--admin", "ann@example.com", "--sign-up", "none", "--generate-password"], "members", "none",
                    "created"
                ),
                (["--admin", "ann@example.com"], "members", "invitation", "invited"),
            ]
            for (number, row) in rows.enumerated() {
                let storage = "\(scratch.path)/\(number)"
                let all = ["init", "--storage", storage, "--yes", "--json", "--name", "Rowing Club"] + row.arguments
                let done = try await run(all)
                #expect(done.status == 0, "\(row): \(done)")
                let document = try json(done.output)
                #expect(document["setup"]["admin"].string == row.admin, "\(row): \(done)")
                let written = try settings(of: storage)
                #expect(written["name"].string == "Rowing Club" && written["sign-up"].string == row.signUp, "\(row)")
                let daemon = try await Daemon(storage: storage)
                let rules = try await run(["rules", "show", "--storage", storage])
                #expect(rules.output.hasPrefix("// The preset \"\(row.rules)\"."), "\(row)")
                if row.admin == "created" {
                    #expect(document["password"].string?.isEmpty == false)
                    let user = try await run(["user", "show", "ann@example.com", "--json", "--storage", storage])
                    #expect(try json(user.output)["admin"].bool == true, "\(user)")
                }
                // The same command again, while the service runs, changes nothing.
                let again = try await run(all)
                #expect(again.status == 0, "\(again)")
                let outcome = try json(again.output)
                #expect(["unchanged", "kept"].contains(outcome["setup"]["rules"].string ?? ""), "\(again)")
                #expect(!["created", "promoted", "invited"].contains(outcome["setup"]["admin"].string ?? ""))
                try await daemon.stop()
            }
        }
    }

    @Test("A generated password is printed also if the running service then cannot read its settings again")
    func failedReload() async throws {
        try await withScratch { scratch in
            let storage = "\(scratch.path)/Storage"
            let daemon = try await Daemon(storage: storage)
            try scratch.write("no picture", to: "icon")
            try scratch.write(#"{"icon": "\#(scratch.path)/icon"}"#, to: "Storage/tintype.json")
            let options = ["--yes", "--generate-password", "--admin"]
            let first = try await run(["init", "--storage", storage] + options + ["ann@example.com"])
            let second = try await run(["init", "--storage", storage, "--json"] + options + ["bob@example.com"])
            #expect(first.errors.contains("icon") && second.errors.contains("icon"), "\(first) \(second)")
            #expect(first.status == 2 && second.status == 2, "\(first) \(second)")
            let passwords = [
                "ann": first.output.firstMatch(of: /password: (\S+)/).map { String($0.1) },
                "bob": try json(second.output)["password"].string,
            ]
            for (name, password) in passwords {
                let body = #"{"email":"\#(name)@example.com","password":"\#(try #require(password))"}"#
                let answer = try await daemon.client.ask(
                    .post, "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=x",
                    headers: [.contentType: "application/json"], body: .bytes(Array(body.utf8)))
                #expect(answer.status == 200, "\(name): \(answer.text)")
            }
            try await daemon.stop()
        }
    }

    @Test("The page of a running service is named, whether a setting or an option gave its address")
    func page() async throws {
        try await withScratch { scratch in
            let storage = "\(scratch.path)/Storage"
            let daemon = try await Daemon(storage: storage, arguments: ["--listen", "127.0.0.1:0"])
            var page: String?
            try await eventually {
                page = try await daemon.get("/v1/operations").json["pages"][0].string
                return page != nil
            }
            let address = try #require(page) + "/"
            let done = try await initialize(storage, "--yes")
            #expect(done.output.contains("The page: \(address)\n"), "\(done)")
            #expect(try json(try await initialize(storage, "--yes", "--json").output)["url"].string == address)
            try await daemon.stop()
            let stopped = try await initialize(storage, "--yes")
            #expect(stopped.output.contains("There is no page yet"), "\(stopped)")
            #expect(stopped.output.contains("tintype invite add --storage \(storage)\n"), "\(stopped)")
            let listening = try await initialize(storage, "--yes", "--listen", "127.0.0.1:8080")
            #expect(listening.output.contains("The page: http://127.0.0.1:8080/\n"), "\(listening)")
        }
    }

    @Test("On a terminal it asks, and an empty answer is the safe one")
    func questions() async throws {
        try await withScratch { scratch in
            let storage = "\(scratch.path)/Storage"
            let done = try await initialize(storage, typing: "Rowing Club\n\nnobody\n\nnone\n")
            #expect(done.status == 0, "\(done)")
            #expect(done.errors.contains("Who may see?") && done.errors.contains("is not some of"), "\(done.errors)")
            #expect(done.output.contains("People with an invitation may come in."), "\(done)")
            let written = try settings(of: storage)
            #expect(written["name"].string == "Rowing Club" && written["sign-up"].string == "invitation")
        }
    }

    @Test("Without a terminal it names the missing options, and makes nothing")
    func noTerminal() async throws {
        try await withScratch { scratch in
            let storage = "\(scratch.path)/Storage"
            let done = try await initialize(storage, "--name", "Rowing Club")
            #expect(done.status == 2 && done.errors.contains("--visible, --sign-up, --admin"), "\(done)")
            #expect(!FileManager.default.fileExists(atPath: storage))
            let rows: [[String]] = [
                ["--visible", "friends", "--yes"], ["--sign-up", "friends", "--yes"], ["--listen", "nowhere", "--yes"],
                ["--generate-password", "--yes"], ["--admin", "ann", "--yes"],
                ["--name", String(repeating: "x", count: 10_000), "--yes"],
                ["--listen", "*:443", "--yes"],  // Passwords would cross the network unencrypted.
                ["--admin", "ann@example.com", "--sign-up", "none", "--yes"],
            ]
            for arguments in rows {
                let refused = try await run(["init", "--storage", storage] + arguments)
                #expect(refused.status == 2, "\(arguments): \(refused)")
                #expect(!FileManager.default.fileExists(atPath: "\(storage)/tintype.json"), "\(arguments)")
            }
        }
    }

    @Test("A store in use changes only as the options say, and its rules after a yes")
    func existing() async throws {
        try await withScratch { scratch in
            let storage = "\(scratch.path)/Storage"
            let daemon = try await Daemon(storage: storage)
            let file = "\(storage)/tintype.json"
            let earlier = "{\n  \"workers\": 1,\n  \"recipes\": [\"thumb=99\"]\n}\n"
            try earlier.write(toFile: file, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let made = try await run(
                ["user", "add", "ann@example.com", "--uid", "ann", "--generate-password", "--storage", storage])
            #expect(made.status == 0, "\(made)")
            let rules = try await run(["rules", "show", "--storage", storage]).output
            #expect(try await initialize(storage, "--yes").status == 2)
            #expect(try await initialize(storage, "--visible", "members", "--name", "Rowing Club").status == 2)
            #expect(try text(file) == earlier, "nothing is half done")
            #expect(try await run(["rules", "show", "--storage", storage]).output == rules)
            let named = try await initialize(storage, "--name", "Rowing Club", "--admin", "ann@example.com")
            #expect(named.status == 0 && named.output.contains("it is an admin's now"), "\(named)")
            #expect(try text(file) == earlier.replacing("\n}", with: ",\n  \"name\": \"Rowing Club\"\n}"))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try await run(["rules", "show", "--storage", storage]).output == rules)
            let closed = try await initialize(storage, "--visible", "members", typing: "yes\n")
            #expect(closed.status == 0 && closed.errors.contains("Replace the rules"), "\(closed)")
            let again = try await initialize(
                storage, "--visible", "members", "--name", "Rowing Club", "--admin", "ann@example.com")
            #expect(again.status == 0 && again.output.hasPrefix("Nothing has changed"), "\(again)")
            try await daemon.stop()
        }
    }

    @Test("Two at once end or are refused, each as a whole")
    func twoAtOnce() async throws {
        try await withScratch { scratch in
            let storage = "\(scratch.path)/Storage"
            let arguments = [
                "init", "--storage", storage, "--yes", "--admin", "ann@example.com", "--generate-password",
            ]
            async let first = run(arguments)
            async let second = run(arguments)
            let statuses = try await [first.status, second.status]
            #expect(statuses.contains(0) && statuses.allSatisfy { [0, 75].contains($0) }, "\(statuses)")
            let daemon = try await Daemon(storage: storage)
            let users = try await run(["user", "ls", "--json", "--storage", storage])
            #expect(users.output.split(separator: "\n").count == 1, "\(users)")
            #expect(!FileManager.default.fileExists(atPath: "\(storage)/tintype.json.new"))
            try await daemon.stop()
        }
    }
}
