import DaemonSupport
import Foundation
import TestSupport
import Testing

@Suite("tintype rules: check, test, explain, show and set", .timeLimit(.minutes(20)))
struct RulesCommandTests {
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

    // MARK: check

    @Test("check: good rules are counted, also as JSON")
    func good() async throws {
        try await RulesSample.files { scratch in
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
        "check: a fault is reported with its line and column, and the exit code is 1",
        arguments: [
            (#"{"rules": {".read": "auth.uid ="}}"#, [], "1:31"),
            ("{\n  \"rules\": {\n    \"ä\": {\".read\": \"data.vall()\"}}}", [], "3:26"),
            ("{\"rules\": {\n\".reed\": true}}", [], "2:1"), (#"{"rules": {}, }"#, [], "1:15"),
            (#"{"rules": {".read": "newData.exists()"}}"#, [], "1:22"), ("", [], "1:1"), (#"["rules"]"#, [], "1:1"),
            (#"{"rules": {"$a": {}, "$b": {}}}"#, [], "1:22"), ("{\"rules\": {} /* ", [], "1:14"),
            ("service firebase.storage {\n  match /b/{b/o {}\n}", ["--storage-rules"], "2:12"),
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
            let lines = terminal.readToEnd().split(whereSeparator: \.isNewline).map { Array($0) }
            try #require(lines.count == 3, "\(lines)")
            #expect(lines[2].last == "^" && lines[2].dropLast().allSatisfy { $0 == " " }, "\(lines)")
            #expect(lines[1][lines[2].count - 1] == marked, "\(lines)")
            #expect(String(lines[1]).hasPrefix(beginning) && lines[1].count < 110, "\(lines)")
        }
    }

    // MARK: test

    @Test("test: a line per case, the reason of each failure, the numbers, and exit code 1 if any failed")
    func cases() async throws {
        try await RulesSample.files { scratch in
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
            try scratch.write(#"{"data": \#(RulesSample.data), "cases": [\#(good), \#(bad)]}"#, to: "cases.json")
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
            (#"{"cases": [{"as": null, "read": "a", "expects": "deny"}]}"#, "a case has no member \"expects\""),
            (#"{"cases": [{"name": "x", "as": null, "read": "a#", "expect": "deny"}]}"#, "case 1 (x): "),
            (#"{"cases": [{"as": "u", "set": "a", "value": {".sv": 1}, "expect": "deny"}]}"#, "case 1 (u writes /a): "),
            (#"{"data": "nowhere.json", "cases": [{"as": null, "read": "a", "expect": "deny"}]}"#, "nowhere.json"),
        ])
    func mistakes(text: String, complaint: String) async throws {
        try await RulesSample.files { scratch in
            try scratch.write(text, to: "cases.json")
            let result = try await run(
                ["rules", "test", scratch.path + "/rules.json", "--cases", scratch.path + "/cases.json"])
            #expect(result.status == 1 && result.errors.contains(complaint), "\(result)")
            #expect(!result.output.contains("passed"), "\(result)")
        }
    }

    // MARK: show and set

    @Test(
        "set: changes are reported; rules with a fault change nothing; show returns the exact text, comments included")
    func set() async throws {
        try await RulesSample.files { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            let path = scratch.path + "/rules.json"
            #expect(try await run(["rules", "set", path] + storage).status == 0)
            #expect(try await run(["rules", "show"] + storage).output == RulesSample.rules + "\n")
            let again = try await run(["rules", "set", path] + storage)
            #expect(
                again.status == 0 && again.output.isEmpty && again.errors.contains("the rules are unchanged"),
                "\(again)")

            try scratch.write(RulesSample.rules.replacingOccurrences(of: "auth.uid)", with: "auth.uid"), to: "bad.json")
            let refused = try await run(["rules", "set", scratch.path + "/bad.json"] + storage)
            #expect(refused.status == 1 && refused.errors.contains("bad.json:9:"), "\(refused)")
            #expect(try await run(["rules", "show"] + storage).output == RulesSample.rules + "\n")

            let changed = RulesSample.rules.replacingOccurrences(of: "<= 10", with: "<= 20")
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
            #expect(try await run(["rules", "show", "--ns", "other"] + storage).output != RulesSample.rules + "\n")
            #expect(try await daemon.stop() == 0)
            let nobody = try await run(["rules", "show"] + storage)
            #expect(nobody.status == 75, "\(nobody)")
        }
    }

    // MARK: Presets

    @Test("set --preset: both sets of rules are set, with what they mean, and again changes nothing")
    func presets() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            let first = try await run(["rules", "set", "--preset", "members"] + storage)
            #expect(
                first.status == 0 && first.output.contains("Strangers and anonymous accounts see nothing."), "\(first)")
            #expect(first.output.contains("changed  .read of /posts\n"), "\(first)")
            #expect(first.output.contains("changed  storage rules\n"), "\(first)")
            for options in [[], ["--storage-rules"]] {
                let shown = try await run(["rules", "show"] + options + storage)
                let preset = try await run(["rules", "show", "--preset", "members"] + options)
                #expect(
                    preset.status == 0 && shown.output == "// The preset \"members\".\n" + preset.output, "\(shown)")
            }
            let again = try await run(["rules", "set", "--preset", "members", "--json"] + storage)
            #expect(
                again.output == #"{"changes":[],"preset":"members","storage_rules":"unchanged"}"# + "\n", "\(again)")
            let back = try await run(["rules", "set", "--preset", "public", "--json"] + storage)
            #expect(back.output.contains(#""storage_rules":"changed""#), "\(back)")
            let photo = try await run(["rules", "show", "--storage-rules"] + storage)
            #expect(photo.output.hasPrefix("// The preset \"public\"."), "\(photo)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test(
        "A preset is named once, correctly, and without what does not belong to it",
        arguments: [
            ["set"], ["set", "rules.json", "--preset", "members"], ["set", "--preset", "member"],
            ["set", "--preset", "members", "--ns", "other"], ["set", "--preset", "members", "--storage-rules"],
            ["show", "--preset", "members", "--default"], ["show", "--preset", "members", "--json"],
            ["explain", "--preset", "members", "--file", "rules.json", "--read", "posts"],
            ["test", "rules.json", "--preset", "members", "--cases", "cases.json"],
        ])
    func presetUsage(arguments: [String]) async throws {
        let result = try await run(["rules"] + arguments)
        #expect(result.status == 64 || result.status == 2, "\(result)")
        #expect(result.output.isEmpty && !result.errors.isEmpty, "\(result)")
    }
}
