import Foundation
import TestSupport
import Testing

@Suite("tintype rules: check, test, explain, show and set", .timeLimit(.minutes(5)))
struct RulesCommandTests {
    private static let rules = """
        {
          // Posts are everybody's to read, and their authors' to write.
          "rules": {
            "posts": {
              ".read": "query.limitToLast <= 10",
              ".indexOn": "timestamp",
              "$post": {
                ".read": true,
                ".write": "auth !== null && (data.exists() ? data.child('author').val() === auth.uid : newData.child('author').val() === auth.uid)",
                ".validate": "newData.hasChildren(['author', 'text'])",
                "text": { ".validate": "newData.isString() && newData.val().length < 10" },
                "at": { ".validate": "newData.val() === now" }
              }
            },
            "sessions": { "$id": { ".ttl": 60 } }
          }
        }
        """
    private static let data =
        #"{"posts": {"p1": {"author": "maria", "text": "hi"}, "p2": {"author": "anna", "text": "yo"}}}"#

    private static let storageRules = """
        service firebase.storage {
          match /b/{bucket}/o {
            match /{uid}/{rest=**} {
              allow read;
              allow write: if request.auth.uid == uid;
            }
          }
        }
        """

    /// A folder with the rules and the data.
    private func files(_ body: (Scratch) async throws -> Void) async throws {
        try await withScratch { scratch in
            try scratch.write(Self.rules, to: "rules.json")
            try scratch.write(Self.data, to: "data.json")
            try await body(scratch)
        }
    }

    // MARK: check

    @Test("check: good rules are counted, and JSON says so")
    func good() async throws {
        try await files { scratch in
            let path = scratch.path + "/rules.json"
            let plain = try await run(["rules", "check", path])
            #expect(plain.status == 0 && plain.output == "\(path): 6 rules, 1 indexes, 1 times to live\n", "\(plain)")
            let json = try await run(["rules", "check", path, "--json"])
            #expect(json.output.contains(#""outcome":"accepted""#) && json.output.contains(#""rules":6"#), "\(json)")
            let input = try await run(["rules", "check", "-"], input: path)
            #expect(input.status == 0 && input.output.hasPrefix("standard input: 6 rules"), "\(input)")
            try scratch.write(Self.storageRules, to: "storage.rules")
            let storage = try await run(["rules", "check", scratch.path + "/storage.rules", "--storage-rules"])
            #expect(storage.status == 0, "\(storage)")
        }
    }

    @Test(
        "check: a fault is told with its line and column, and the exit code is 1",
        arguments: [
            (#"{"rules": {".read": "auth.uid ="}}"#, [], "1:31"),
            ("{\n  \"rules\": {\n    \"ä\": {\".read\": \"data.vall()\"}}}", [], "3:28"),
            ("{\"rules\": {\n\".reed\": true}}", [], "2:1"), (#"{"rules": {}, }"#, [], "1:15"),
            (#"{"rules": {".read": "newData.exists()"}}"#, [], "1:22"), ("", [], "1:1"), (#"["rules"]"#, [], "1:1"),
            (#"{"rules": {"$a": {}, "$b": {}}}"#, [], "1:22"), ("{\"rules\": {} /* ", [], "1:14"),
            ("service firebase.storage {\n  match /b/{b/o {}\n}", ["--storage-rules"], "2:14"),
            ("service firebase.storage {\n", ["--storage-rules"], "2:1"),
        ] as [(String, [String], String)])
    func fault(text: String, options: [String], place: String) async throws {
        try await withScratch { scratch in
            try scratch.write(text, to: "bad.json")
            let path = scratch.path + "/bad.json"
            let plain = try await run(["rules", "check", path] + options)
            #expect(plain.status == 1 && plain.output.isEmpty, "\(plain)")
            #expect(plain.errors.hasPrefix("tintype: \(path):\(place): "), "\(plain)")
            #expect(plain.errors.split(separator: "\n").count == 1, "only a terminal shows the line: \(plain)")
            let json = try await run(["rules", "check", path, "--json"] + options)
            let (line, column) = (place.split(separator: ":")[0], place.split(separator: ":")[1])
            #expect(json.status == 1 && json.output.contains("\"line\":\(line),"), "\(json)")
            #expect(json.output.contains("\"column\":\(column),"), "\(json)")
        }
    }

    @Test(
        "check: a terminal shows the line at fault, and a mark under the column",
        arguments: [
            ("{\"rules\": {\n\t\"é\": {\".read\": \"auth.uid = 1\"}}}", "=", "   \"é\": {"),
            (#"{"rules": {".read": "\#(String(repeating: "true && ", count: 50))nobody"}}"#, "n", "  …"),
        ])
    func mark(text: String, marked: Character, beginning: String) async throws {
        try await withScratch { scratch in
            try scratch.write(text, to: "bad.json")
            let terminal = try PseudoTerminal()
            let child = try Child(
                ["rules", "check", scratch.path + "/bad.json"], output: "/dev/null", errors: terminal.path)
            #expect(try await child.wait() == 1)
            let lines = terminal.read().split(whereSeparator: \.isNewline).map { Array($0) }
            try #require(lines.count == 3, "\(lines)")
            #expect(lines[2].last == "^" && lines[2].dropLast().allSatisfy { $0 == " " }, "\(lines)")
            #expect(lines[1][lines[2].count - 1] == marked, "\(lines)")
            #expect(String(lines[1]).hasPrefix(beginning) && lines[1].count < 110, "\(lines)")
        }
    }

    // MARK: test

    @Test("test: a line a case, why one fails, the numbers, and exit code 1 if any did")
    func cases() async throws {
        try await files { scratch in
            let paths = ["rules", "test", scratch.path + "/rules.json", "--cases", scratch.path + "/cases.json"]
            let good = """
                {"as": null, "read": "posts/p1", "expect": "allow"},
                {"as": null, "read": "posts", "query": {"orderBy": "timestamp", "limitToLast": 10}, "expect": "allow"},
                {"name": "posts have a time", "as": "maria", "now": 5,
                 "write": {"posts/p3": {"author": "maria", "text": "x", "at": 5}, "posts/p1": null}, "expect": "allow"},
                {"as": "anna", "set": "posts/p1/text", "value": "ho", "expect": "deny"}
                """
            try scratch.write(#"{"data": "data.json", "cases": [\#(good)]}"#, to: "cases.json")
            let passed = try await run(paths)
            #expect(passed.status == 0 && passed.output.hasSuffix("\n4 passed, 0 failed\n"), "\(passed)")
            #expect(passed.output.contains("passed  3  posts have a time\n"), "\(passed)")

            let bad =
                #"{"as": "anna", "delete": "posts/p1", "expect": "allow"}, {"as": "anna", "delete": "posts/p2", "expect": "deny"}"#
            try scratch.write(#"{"data": \#(Self.data), "cases": [\#(good), \#(bad)]}"#, to: "cases.json")
            let failed = try await run(paths)
            #expect(failed.status == 1 && failed.output.hasSuffix("\n4 passed, 2 failed\n"), "\(failed)")
            for words in [
                "failed  5  anna deletes /posts/p1: refused, not allowed", "refused: no rule grants it",
                ".write of /posts/$post (9:9) is false at /posts/p1",
                "failed  6  anna deletes /posts/p2: allowed, not refused",
                "granted by .write of /posts/$post (9:9)",
            ] { #expect(failed.output.contains(words), "\(words): \(failed)") }
            #expect(
                try failed.output.contains(
                    Regex(#"data\.child\('author'\)\.val\(\) +"maria"\n"#)), "the value of a part: \(failed)")

            let json = try await run(paths + ["--json"])
            let lines = json.output.split(separator: "\n")
            #expect(json.status == 1 && lines.count == 7 && lines.last == #"{"failed":2,"passed":4}"#, "\(json)")
            #expect(lines.filter { $0.contains(#""outcome":"failed""#) && $0.contains("explanation") }.count == 2)
        }
    }

    @Test(
        "test: a file with a mistake is refused by name, and nothing counts as passed",
        arguments: [
            ("{\"cases\": [\n,]}", "cases.json:2:1: "), ("{}", "cases.json: "), (#"{"cases": []}"#, "cases.json: "),
            (#"{"cases": [{"as": null, "read": "a", "expects": "deny"}]}"#, "case 1: a case has no \"expects\""),
            (#"{"cases": [{"name": "x", "as": null, "read": "a#", "expect": "deny"}]}"#, "case 1 (x): "),
            (#"{"cases": [{"as": "u", "set": "a", "value": {".sv": 1}, "expect": "deny"}]}"#, "case 1 (u writes /a): "),
            (#"{"data": "nowhere.json", "cases": [{"as": null, "read": "a", "expect": "deny"}]}"#, "nowhere.json"),
        ])
    func mistakes(text: String, complaint: String) async throws {
        try await files { scratch in
            try scratch.write(text, to: "cases.json")
            let result = try await run(
                ["rules", "test", scratch.path + "/rules.json", "--cases", scratch.path + "/cases.json"])
            #expect(result.status == 1 && result.errors.contains(complaint), "\(result)")
            #expect(!result.output.contains("passed"), "\(result)")
        }
    }

    // MARK: explain

    /// What is asked, and what the answer has in it.
    private static let questions: [(arguments: [String], words: [String])] = [
        (["--read", "posts/p1"], ["allowed: nobody reads /posts/p1", "granted by .read of /posts/$post (8:9)"]),
        (
            ["--read", "posts"],
            ["refused: ", "no rule grants", ".read of /posts (5:7) is false", "numbers nor both strings"]
        ),
        (
            ["--read", "posts", "--query", #"{"orderBy": "$key", "limitToLast": 7}"#],
            ["allowed: ", "query.limitToLast", "7"]
        ),
        (["--as", "anna", "--read", "elsewhere"], ["refused: anna", "there is no rule for it"]),
        (
            ["--as", "maria", "--write", "posts/p1/text", #""much too long""#],
            ["refused: ", "by .validate of /posts/$post/text (11:19)", "13"]
        ),
        (
            ["--as", "maria", "--write", "posts/p1", "null"],
            ["allowed: maria deletes /posts/p1", ".write of /posts/$post (9:9)", #""maria""#]
        ),
        (["--as", "anna", "--write", "posts/p1", "null"], ["refused: ", "data.exists()"]),
        (
            ["--auth", #"{"uid": "maria"}"#, "--write", "posts/p1/at", #"{".sv": "timestamp"}"#],
            ["allowed: ", "(9:9)"]
        ),
        (["--as", "maria", "--write", "posts/p1/at", " -5"], ["refused: ", "(12:17)", "newData.val()", "-5"]),
        (
            ["--as", "anna", "--write", "posts/p1/text", #""x""#, "--write", "posts/p2/text", #""y""#],
            [
                "refused: anna writes /posts/p1/text, /posts/p2/text", "/posts/p1/text: refused",
                "/posts/p2/text: granted",
            ]
        ),
        (["--as", "admin", "--write", "posts", "null"], ["allowed: the owner"]),
    ]

    @Test("explain: the rule that decided and its values, the same from files and from the running service")
    func explain() async throws {
        try await files { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let rules = scratch.path + "/rules.json"
            let service = ["--storage", daemon.storage, "--namespace", "other"]
            #expect(try await run(["rules", "set", rules] + service).status == 0)
            #expect(
                try await run(["import", scratch.path + "/data.json", "--storage", daemon.storage, "--ns", "other"])
                    .status == 0)
            let before = try await daemon.get("/.json?ns=other").text
            for question in Self.questions {
                let ask = ["rules", "explain"] + question.arguments
                let offline = try await run(ask + ["--file", rules, "--data", scratch.path + "/data.json"])
                #expect(offline.status == 0, "\(offline)")
                for words in question.words { #expect(offline.output.contains(words), "\(question): \(offline)") }
                let online = try await run(ask + service)
                #expect(
                    online.status == 0 && online.output.sortedLines == offline.output.sortedLines,
                    "\(online) \(offline)")
                let json = try await run(ask + service + ["--json"])
                let isAllowed = question.words[0].hasPrefix("allowed")
                #expect(
                    json.output.contains(#"{"allowed":\#(isAllowed),"paths":["#) == !question.arguments.contains(
                        "admin") || isAllowed, "\(json)")
            }
            #expect(try await daemon.get("/.json?ns=other").text == before, "explaining writes nothing")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test(
        "explain: wrong usage is told",
        arguments: [
            ([], "--read"), (["--read", "a", "--write", "b", "1"], "--read"),
            (["--write", "a"], "each with its value"),
            (["--write", "a", "text"], "quotes"), (["--write", "a", "1", "a/b", "2"], "/a and /a/b"),
            (["--write", "a", "1", "--query", "{}"], "--query goes with --read"),
            (["--read", "a", "--as", "x", "--auth", "{}"], "--as or --auth"),
            (["--read", "a", "--auth", "[]"], "--auth"),
            (["--read", "a", "--auth", "\"x\""], "--as"), (["--read", "a.b"], "--read"),
            (["--read", "a", "--query", #"{"limitToLast": 1}"#], "orderBy"),
        ] as [([String], String)])
    func usage(arguments: [String], complaint: String) async throws {
        let result = try await run(["rules", "explain"] + arguments)
        #expect(result.status == 2 && result.errors.contains(complaint), "\(result)")
    }

    // MARK: show and set

    @Test(
        "set: what changes is told; rules with a fault change nothing; show gives back what was set, comments and all")
    func set() async throws {
        try await files { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            let path = scratch.path + "/rules.json"
            #expect(try await run(["rules", "set", path] + storage).status == 0)
            #expect(try await run(["rules", "show"] + storage).output == Self.rules + "\n")
            let again = try await run(["rules", "set", path] + storage)
            #expect(again.status == 0 && again.output.isEmpty && again.errors.contains("said before"), "\(again)")

            try scratch.write(Self.rules.replacingOccurrences(of: "auth.uid)", with: "auth.uid"), to: "bad.json")
            let refused = try await run(["rules", "set", scratch.path + "/bad.json"] + storage)
            #expect(refused.status == 1 && refused.errors.contains("bad.json:9:"), "\(refused)")
            #expect(try await run(["rules", "show"] + storage).output == Self.rules + "\n")

            let changed = Self.rules.replacingOccurrences(of: "<= 10", with: "<= 20")
                .replacingOccurrences(of: ".ttl\": 60", with: ".read\": true")
            try scratch.write(changed, to: "new.json")
            let result = try await run(["rules", "set", scratch.path + "/new.json"] + storage)
            #expect(
                result.output
                    == "changed  .read of /posts\nadded    .read of /sessions/$id\nremoved  .ttl of /sessions/$id\n",
                "\(result)")
            let json = try await run(["rules", "set", path, "--json"] + storage)
            #expect(json.output.contains(#"{"change":"added","member":".ttl","path":"/sessions/$id"}"#), "\(json)")
            let strict = try await run(["rules", "show", "--json"] + storage)
            #expect(
                strict.output.hasPrefix(#"{"rules":{"posts":{"$post":{"#) && !strict.output.contains("//"), "\(strict)")
            #expect(try await run(["rules", "show", "--ns", "other"] + storage).output != Self.rules + "\n")
            #expect(try await daemon.stop() == 0)
            let nobody = try await run(["rules", "show"] + storage)
            #expect(nobody.status == 75, "\(nobody)")
        }
    }
}

extension String {
    /// The lines in an order that does not depend on that of the tree's children.
    fileprivate var sortedLines: [Substring] { split(separator: "\n").sorted() }
}
