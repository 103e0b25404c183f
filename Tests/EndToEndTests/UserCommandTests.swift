import Client
import DaemonSupport
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tintype user, tintype key: accounts, from the command line to a post", .timeLimit(.minutes(20)))
struct UserCommandTests {
    private static let signIn = "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=x"

    /// A service that also listens on TCP.
    private struct Place {
        let daemon: Daemon
        let tcp: ServiceClient

        init(in scratch: Scratch) async throws {
            let storage = scratch.path + "/Storage"
            // The log of an earlier service, with another port.
            try? FileManager.default.removeItem(atPath: storage + ".log")
            daemon = try await Daemon(storage: storage, arguments: ["--listen", "127.0.0.1:0"])
            try await eventually { try text(storage + ".log").contains("http://") }
            let log = try text(storage + ".log")
            let port = try #require(log.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\//).flatMap { Int($0.1) })
            tcp = ServiceClient(.tcp(host: "127.0.0.1", port: port))
        }

        /// Runs `tintype user`, or another command.
        func tintype(
            _ arguments: String..., terminalInput: String? = nil, input: String = "/dev/null"
        ) async throws -> (status: Int32, output: String, errors: String) {
            try await run(
                arguments + ["--storage", daemon.storage], input: input, terminalInput: terminalInput)
        }

        /// Signs in as an app does.
        func signIn(_ email: String, _ password: String) async throws -> Answer {
            let body = #"{"email":"\#(email)","password":"\#(password)","returnSecureToken":true}"#
            return try await tcp.ask(
                .post, UserCommandTests.signIn, headers: [.contentType: "application/json"],
                body: .bytes(Array(body.utf8)))
        }

        /// Publishes a text with the identity of a token.
        func post(_ token: String) async throws -> Answer {
            try await tcp.ask(.post, "/v1/uploads?text=x", headers: [.authorization: "Bearer \(token)"])
        }
    }

    private func json(_ line: some StringProtocol) throws -> JSON {
        try JSONDecoder().decode(JSON.self, from: Data(line.utf8))
    }

    @Test("An account is created, signs in, posts as itself, is disabled, enabled again, and deleted")
    func life() async throws {
        try await withScratch { scratch in
            let place = try await Place(in: scratch)
            let made = try await place.tintype(
                "user", "add", "Maria@Example.com", "--uid", "maria", "--name", "Maria", "--generate-password",
                "--claims", #"{"editor":true}"#, "--admin", "--verified")
            let words = made.output.split(separator: " ").map { $0.trimmingCharacters(in: .newlines) }
            #expect(made.status == 0 && words.count == 3 && words.first == "maria", "\(made)")
            let (email, password) = (try #require(words.dropFirst().first), try #require(words.last))

            let signedIn = try await place.signIn(email, password)
            #expect(signedIn.status == 200, "\(signedIn.text)")
            let token = try #require(signedIn.json["idToken"].string)
            let post = try await place.post(token)
            #expect(post.status == 201 && post.json["post"]["author"]["uid"].string == "maria", "\(post.text)")
            let shown = try await place.tintype("user", "show", email, "--json")
            let user = try json(shown.output)
            #expect(user["uid"].string == "maria" && user["name"].string == "Maria", "\(shown)")
            #expect(user["admin"].bool == true && user["verified"].bool == true && user["disabled"].bool == false)
            #expect(user["claims"]["editor"].bool == true && user["last_sign_in"].int != nil, "\(shown)")
            #expect(!shown.output.contains(password) && user["providers"][0].string == "password")
            let read = try await place.tintype("user", "show", "maria")
            #expect(read.status == 0 && read.output.contains("(verified)") && read.output.contains("admin"), "\(read)")

            #expect(try await place.tintype("user", "disable", "maria").output == "disabled  maria\n")
            let refused = try await place.signIn(email, password)
            #expect(refused.status == 400 && refused.text.contains("USER_DISABLED"), "\(refused.text)")
            #expect(try await place.post(token).json["code"].string == "bad_token")
            let noToken = try await place.tintype("user", "token", "maria")
            #expect(noToken.status == 1 && noToken.errors.contains("disabled"), "\(noToken)")
            #expect(try await place.tintype("user", "ls").output.contains("disabled,admin"))

            #expect(try await place.tintype("user", "enable", email, "--json").output.contains(#""outcome":"enabled""#))
            #expect(try await place.post(token).status == 401, "an old token stays refused")
            #expect(try await place.signIn(email, password).status == 200)

            let unasked = try await place.tintype("user", "rm", "maria")
            #expect(unasked.status == 2 && unasked.errors.contains("--yes"), "\(unasked)")
            let kept = try await place.tintype("user", "rm", "maria", terminalInput: "n\n")
            #expect(kept.status == 1 && kept.errors.contains("maria@example.com"), "\(kept)")
            let both = try await place.tintype("user", "rm", "maria", "nobody", "--yes", "--json")
            #expect(both.status == 3, "\(both)")
            let lines = try both.output.split(separator: "\n").map { try json($0) }
            #expect(lines.map { $0["outcome"].string } == ["deleted", "failed"], "\(both)")
            let rest = "and 1 post; to delete them too, run \"tintype person rm maria\""
            #expect(both.errors.contains(rest), "\(both)")
            #expect(try await place.tintype("person", "show", "maria").output.contains("posts      1"))
            #expect(lines.last?["code"].string == "unknown_user")
            #expect(try await place.signIn(email, password).status == 400)
            #expect(try await place.daemon.stop() == 0)
            let log = try text(place.daemon.storage + ".log")
            #expect(!log.contains(password) && !log.contains(token))
        }
    }

    @Test("Those who were shown are deleted, also if somebody takes the name meanwhile", arguments: ["user", "person"])
    func shown(kind: String) async throws {
        try await withScratch { scratch in
            let place = try await Place(in: scratch)
            let password = "--generate-password"
            _ = try await place.tintype("user", "add", "ed@example.com", "--uid", "u1", "--name", "Ed L", password)
            #expect(try await place.tintype("person", "set", "u1", "--bio", "Rows.").status == 0)
            let terminal = try PseudoTerminal()
            let (output, errors) = (scratch.path + "/out", scratch.path + "/err")
            let removal = try Child(
                [kind, "rm", "Ed L", "--storage", place.daemon.storage], output: output, errors: errors,
                input: terminal.path)
            try await eventually { try text(errors).contains("[y/N]") }
            #expect(try text(errors).contains("\"Ed L\" is Ed L (ed@example.com)\nu1  "))
            _ = try await place.tintype("user", "add", "e@example.com", "--uid", "u2", "--name", "Ed L", password)
            try terminal.type("y\n")
            #expect(try await removal.wait() == 0)
            #expect(try text(output).hasPrefix("deleted  u1"))
            #expect(try await place.tintype("user", "show", "u2").status == 0)
            try await place.daemon.stop()
        }
    }

    @Test("Accounts are listed below headings in the order of their names, or else of their addresses")
    func list() async throws {
        try await withScratch { scratch in
            let place = try await Place(in: scratch)
            let none = try await place.tintype("user", "ls")
            #expect(none.status == 0 && none.output.isEmpty && none.errors.contains("no accounts"), "\(none)")
            #expect(!none.errors.contains("last sign-in"), "no headings above nothing: \(none)")
            let nameless = try await place.tintype("user", "add", "f@example.com", "--uid=-c", "--generate-password")
            #expect(nameless.status == 0, "\(nameless)")
            for (uid, name) in [("b", "Zoe"), ("a", "élan"), ("d", "Emma"), ("e", "emma")] {
                let made = try await place.tintype(
                    "user", "add", "\(uid)@example.com", "--uid", uid, "--name", name, "--generate-password")
                #expect(made.status == 0, "\(made)")
            }
            let order = ["a", "d", "e", "-c", "b"]
            let all = try await place.tintype("user", "ls")
            #expect(all.output.split(separator: "\n").map { String($0.split(separator: " ")[0]) } == order, "\(all)")
            #expect(all.errors == "id  e-mail         name  state   last sign-in\n", "\(all)")
            #expect(all.output.contains("b   b@example.com  Zoe   active  never\n"), "\(all)")
            let first = try await place.tintype("user", "ls", "--limit", "2", "--json")
            #expect(try first.output.split(separator: "\n").map { try json($0)["uid"].string } == ["a", "d"])
            #expect(first.errors.isEmpty, "\(first)")
            #expect(try await place.tintype("user", "show", "-c").output.contains("f@example.com"), "a dash")
            #expect(try await place.tintype("user", "ls", "--limit", "0").status == 2)
            try await place.daemon.stop()
        }
    }

    @Test("A password is read from a file, from standard input or from a person, who types it twice")
    func passwords() async throws {
        try await withScratch { scratch in
            let place = try await Place(in: scratch)
            try scratch.write("from a file\n", to: "password")
            let file = scratch.path + "/password"
            #expect(try await place.tintype("user", "add", "a@example.com", "--password-file", file).status == 0)
            #expect(try await place.signIn("a@example.com", "from a file").status == 200)
            let piped = try await place.tintype("user", "add", "b@example.com", "--password-file", "-", input: file)
            #expect(piped.status == 0, "\(piped)")
            #expect(try await place.signIn("b@example.com", "from a file").status == 200)
            let typed = try await place.tintype(
                "user", "add", "c@example.com", terminalInput: "süsx\u{7F}am!\nsüsam!\n")
            #expect(typed.status == 0 && !typed.errors.contains("süsam"), "\(typed)")
            let old = try await place.signIn("c@example.com", "süsam!")
            #expect(old.status == 200, "\(old.text)")
            let differing = try await place.tintype(
                "user", "password", "c@example.com", terminalInput: "one!!!\ntwo!!!\n")
            #expect(differing.status == 2 && differing.errors.contains("differ"), "\(differing)")

            let changed = try await place.tintype("user", "password", "c@example.com", "--generate-password")
            let new = try #require(changed.output.split(whereSeparator: \.isWhitespace).last.map(String.init))
            #expect(changed.status == 0 && changed.output.hasPrefix("changed  "), "\(changed)")
            #expect(try await place.signIn("c@example.com", "süsam!").status == 400)
            #expect(try await place.signIn("c@example.com", new).status == 200)
            let token = try #require(old.json["idToken"].string)
            #expect(try await place.post(token).status == 401, "the sessions of the old password have ended")
            try await place.daemon.stop()
        }
    }

    @Test("An impossible command is refused, with the exit code of its reason")
    func errors() async throws {
        try await withScratch { scratch in
            let place = try await Place(in: scratch)
            try scratch.write("short", to: "short")
            #expect(
                try await place.tintype("user", "add", "a@example.com", "--uid", "a", "--generate-password").status == 0
            )
            let generated = "--generate-password"
            let cases: [(arguments: [String], status: Int32, words: String)] = [
                (["show", "nobody"], 1, "no account \"nobody\""), (["token", "nobody@example.com"], 1, "no account"),
                (["disable", "nobody"], 1, "no account"), (["password", "nobody", generated], 1, "no account"),
                (["add", "a@example.com", generated], 1, "another account has this e-mail"),
                (["add", "b@example.com", "--uid", "a", generated], 1, "another account has this id"),
                (["add", "nonsense", generated], 1, "e-mail address is invalid"),
                (["add", "b@example.com", "--uid", "a/b", generated], 1, "id is invalid"),
                (["add", "b@example.com", "--password-file", scratch.path + "/short"], 1, "at least 6"),
                (["add", "b@example.com", "--password-file", "/nowhere"], 2, "/nowhere"),
                (["add", "b@example.com"], 2, "--generate-password"),
                (["add", "b@example.com", generated, "--claims", "[]"], 2, "JSON object"),
                (["add", "b@example.com", generated, "--claims", #"{"sub":"x"}"#], 1, "sub"),
                (["token", "a", "--claims", "{"], 1, "JSON object"), (["token", "a", "--lifetime", "x"], 2, "30s"),
                (["token", "a", "--lifetime", "2d"], 1, "86400"), (["token", "a", "b"], 2, "one account"),
                (["token", "a", "--custom", "--lifetime", "1h"], 2, "an hour"),
                (["rm", "a", "--nonsense", "--yes"], 2, "--nonsense"),
            ]
            for item in cases {
                let result = try await run(["user"] + item.arguments + ["--storage", place.daemon.storage])
                #expect(result.status == item.status && result.errors.contains(item.words), "\(item): \(result)")
            }
            try await place.daemon.stop()
            #expect(try await place.tintype("user", "ls").status == 75)
        }
    }

    @Test("Tokens of the command line are valid for their lifetime, and custom ones sign in")
    func tokens() async throws {
        try await withScratch { scratch in
            let place = try await Place(in: scratch)
            #expect(
                try await place.tintype("user", "add", "a@example.com", "--uid", "a", "--generate-password").status == 0
            )
            let issued = try await place.tintype("user", "token", "a@example.com", "--lifetime", "10m", "--json")
            let document = try json(issued.output)
            let left = Double(document["expires"].int ?? 0) / 1000 - Date().timeIntervalSince1970
            #expect((500...601).contains(left), "\(issued)")
            let post = try await place.post(try #require(document["token"].string))
            #expect(post.json["post"]["author"]["uid"].string == "a", "\(post.text)")
            let short = try await place.tintype("user", "token", "a").output.trimmingCharacters(in: .newlines)
            #expect(try await place.post(short).status == 201)
            #expect(try await place.post(short.dropLast(6) + "AAAAAA").status == 401)

            let custom = try await place.tintype("user", "token", "new", "--custom", "--claims", #"{"team":"x"}"#)
            let body = #"{"token":"\#(custom.output.trimmingCharacters(in: .newlines))","returnSecureToken":true}"#
            let signedIn = try await place.tcp.ask(
                .post, "/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=x",
                body: .bytes(Array(body.utf8)))
            let token = try #require(signedIn.json["idToken"].string, "\(signedIn.text)")
            #expect(try await place.post(token).json["post"]["author"]["uid"].string == "new")
            try await place.daemon.stop()
        }
    }

    @Test("An admin key opens TCP until it is deleted, also after a restart; keys are rotated as documented")
    func keys() async throws {
        try await withScratch { scratch in
            let place = try await Place(in: scratch)
            func status(_ client: ServiceClient, _ key: String) async throws -> Int {
                try await client.get("/v1/keys", headers: [.authorization: "Bearer \(key)"]).status
            }
            let made = try await place.tintype("key", "add", "backup", "--expires", "90d")
            let key = made.output.trimmingCharacters(in: .newlines)
            #expect(made.status == 0 && key.hasPrefix("tintype_"), "\(made)")
            #expect(try await status(place.tcp, key) == 200)
            #expect(try await status(place.tcp, key + "x") == 401)
            let twice = try await place.tintype("key", "add", "backup")
            #expect(twice.status == 1 && twice.errors.contains("of this name"), "\(twice)")
            #expect(try await place.tintype("key", "add", "a.b").status == 1)
            let list = try await place.tintype("key", "ls")
            #expect(list.output.hasPrefix("backup  ") && list.output.contains("until"), "\(list)")
            #expect(!list.output.contains(key))

            #expect(
                try await place.tintype("user", "add", "a@example.com", "--uid", "a", "--generate-password").status == 0
            )
            let token = try await place.tintype("user", "token", "a").output.trimmingCharacters(in: .newlines)
            let rotated = try await place.tintype("key", "rotate")
            #expect(rotated.status == 0 && rotated.output.contains("signs from"), "\(rotated)")
            #expect(try await place.post(token).status == 201, "tokens of the old key count")
            #expect(try await place.tintype("key", "rotate", "--compromised").status == 2)
            #expect(try await place.tintype("key", "rotate", "--compromised", "--yes").output == "the new key signs\n")
            #expect(try await place.post(token).status == 401)
            #expect(try await place.daemon.stop() == 0)

            let again = try await Place(in: scratch)
            #expect(try await status(again.tcp, key) == 200)
            #expect(try await again.tintype("key", "rm", "backup").output == "deleted  backup\n")
            #expect(try await status(again.tcp, key) == 401)
            #expect(try await again.tintype("key", "rm", "backup").status == 1)
            try await again.daemon.stop()
        }
    }
}
