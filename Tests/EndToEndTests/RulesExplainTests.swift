import Foundation
import TestSupport
import Testing

/// Rules and data to try commands on.
enum RulesSample {
    static let rules = """
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
    static let data =
        #"{"posts": {"p1": {"author": "maria", "text": "hi"}, "p2": {"author": "anna", "text": "yo"}}}"#

    /// Creates a folder with the rules and the data.
    static func files(_ body: (Scratch) async throws -> Void) async throws {
        try await withScratch { scratch in
            try scratch.write(rules, to: "rules.json")
            try scratch.write(data, to: "data.json")
            try await body(scratch)
        }
    }
}

@Suite("tintype rules explain: the line that allows or refuses an operation", .timeLimit(.minutes(20)))
struct RulesExplainTests {
    /// The arguments of a question, and the expected parts of its answer.
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
        try await RulesSample.files { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let rules = scratch.path + "/rules.json"
            let service = ["--storage", daemon.storage, "--namespace", "other"]
            #expect(try await run(["rules", "set", rules] + service).status == 0)
            #expect(
                try await run([
                    "tree", "import", scratch.path + "/data.json", "--storage", daemon.storage, "--ns", "other",
                ])
                .status == 0)
            let before = try await daemon.get("/.json?ns=other").text
            for question in Self.questions {
                let ask = ["rules", "explain"] + question.arguments
                let offline = try await run(ask + ["--file", rules, "--data", scratch.path + "/data.json"])
                #expect(offline.status == 0, "\(offline)")
                for words in question.words { #expect(offline.output.contains(words), "\(question): \(offline)") }
                let online = try await run(ask + service)
                #expect(
                    online.status == 0 && online.output.timeless == offline.output.timeless,
                    "\(online) \(offline)")
                let json = try await run(ask + service + ["--json"])
                let isAllowed = question.words[0].hasPrefix("allowed")
                #expect(json.output.hasPrefix(#"{"allowed":\#(isAllowed),"paths":["#), "\(json)")
            }
            #expect(try await daemon.get("/.json?ns=other").text == before, "explaining writes nothing")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test(
        "explain: wrong usage is reported",
        arguments: [
            ([], "--read"), (["--read", "a", "--write", "b", "1"], "--read"),
            (["--write", "a"], "a value after each path"),
            (["--write", "a", "text"], "quotes"), (["--write", "a", "1", "a/b", "2"], "/a and /a/b"),
            (["--write", "a", "1", "--query", "{}"], "--query needs --read"),
            (["--read", "a", "--as", "x", "--auth", "{}"], "--as or --auth"),
            (["--read", "a", "--auth", "[]"], "--auth"),
            (["--read", "a", "--auth", "\"x\""], "--as"), (["--read", "a.b"], "--read"),
            (["--read", "a", "--query", #"{"limitToLast": 1}"#], "orderBy"),
        ] as [([String], String)])
    func usage(arguments: [String], complaint: String) async throws {
        let result = try await run(["rules", "explain"] + arguments)
        #expect(result.status == 2 && result.errors.contains(complaint), "\(result)")
    }
}

extension String {
    /// The explanation without the present time and the order of rules that depend on children.
    fileprivate var timeless: [String] {
        split(separator: "\n").map { String($0.replacing(#/ [0-9]{13}$/#, with: " TIME")) }.sorted()
    }
}
