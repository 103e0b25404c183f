import Client
import DaemonSupport
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// A mistake at the command line, and the expected words about it.
private struct Mistake: Sendable {
    /// The arguments; `SCRATCH` in them is a folder of the test's own.
    var arguments: [String]
    var environment: [String: String] = [:]
    /// The contents of `c.json`, which is the argument of `--config`.
    var file: String?
    var status: Int32 = 2
    var words: [String]
    var unwanted: [String] = []
}

private let mistakes: [Mistake] = [
    Mistake(
        arguments: ["uplaod", "x.jpg", "--user", "m"], words: [#""uplaod""#, #"did you mean "upload""#],
        unwanted: ["Unknown option"]),
    Mistake(arguments: ["inbox", "lss"], words: [#"did you mean "ls""#, "tintype inbox --help"]),
    Mistake(arguments: ["user", "list"], words: [#"did you mean "ls""#, "tintype user --help"]),
    Mistake(arguments: ["person", "list"], words: [#"did you mean "ls""#], unwanted: ["maria"]),
    Mistake(arguments: ["person", "create", "ann"], words: [#"did you mean "set""#]),
    Mistake(arguments: ["quota", "delete", "ann"], words: ["ls, set, show"], unwanted: ["quota USER"]),
    Mistake(arguments: ["config", "set", "workers", "2"], words: ["reload, show"], unwanted: ["Unexpected"]),
    Mistake(arguments: ["post", "create", "x.jpg"], words: [#"did you mean "upload""#]),
    Mistake(arguments: ["members", "ls"], words: [#"did you mean "user""#]),
    Mistake(arguments: ["help", "uplaod"], words: [#"did you mean "upload""#]),
    Mistake(arguments: ["post", "delete", "p"], words: [#"did you mean "rm""#, "tintype post --help"]),
    Mistake(arguments: ["backup", "lss", "d"], words: [#"did you mean "ls""#, "tintype backup --help"]),
    Mistake(
        arguments: ["store", "unclaimed", "drop"], words: [#"did you mean "rm""#, "tintype store unclaimed --help"]),
    Mistake(arguments: ["quota", "sett", "ann", "1MB"], words: [#"did you mean "set""#], unwanted: ["quota show"]),
    Mistake(
        arguments: ["something-else"], words: ["upload", "rethumb", "serve"], unwanted: ["did you", "worker"]),
    Mistake(
        arguments: ["config", "--recipe", "thumb=abc"], words: ["--recipe)", #""abc" in "thumb=abc""#],
        unwanted: ["--recipes"]),
    Mistake(
        arguments: ["config", "--recipe", "a=1", "--recipe", "a=2"], words: ["--recipe)", "one name, a"],
        unwanted: ["--recipes"]),
    Mistake(
        arguments: ["config"], environment: ["TINTYPE_RECIPES": "a=1 b=2,q101"],
        words: ["TINTYPE_RECIPES", "b: the quality 101"]),
    Mistake(arguments: ["config", "--recipe", "original=5"], words: ["no recipe may be called original"]),
    Mistake(arguments: ["config"], file: #"{"workers": 2.5}"#, words: ["workers", "2.5", "c.json", "1 to 64"]),
    Mistake(arguments: ["config"], file: #"{"workers": {"a": 1}}"#, words: [#""workers" is an object"#, "c.json"]),
    Mistake(arguments: ["config"], file: #"{"recipes": [1, 2]}"#, words: [#""recipes" is "#, "list of texts"]),
    Mistake(arguments: ["config"], file: #"{"workers": null}"#, words: [#""workers" is null"#]),
    Mistake(arguments: ["config"], file: "[1]", words: ["no JSON object", "c.json"]),
    Mistake(arguments: ["config"], file: "{\n\"workers\": 2,}", words: ["c.json:2:"]),
    Mistake(arguments: ["config"], file: #"{"wrokers": 2}"#, words: [#"did you mean "workers""#]),
    Mistake(
        arguments: ["config"], environment: ["TINTYPE_WORKRS": "3", "TINTYPE_PORT": "tcp://10.0.0.1:80"], status: 0,
        words: ["TINTYPE_WORKRS in the environment is no setting; did you mean TINTYPE_WORKERS?", "TINTYPE_PORT"]),
    Mistake(
        arguments: ["serve", "--storage", "SCRATCH/" + String(repeating: "x", count: 120)],
        words: ["shorter path", "the limit is 103"], unwanted: ["path of its own"]),
    Mistake(
        arguments: ["status", "--storage", "SCRATCH/" + String(repeating: "x", count: 120)],
        words: ["shorter path", "the limit is 103"], unwanted: ["cannot reach"]),
]

@Suite("Words on the screen", .timeLimit(.minutes(20)))
struct WordTests {
    @Test("A mistake is named, together with the probable intention", arguments: mistakes.indices)
    func mistake(index: Int) async throws {
        let mistake = mistakes[index]
        try await withScratch { scratch in
            if let file = mistake.file { try scratch.write(file, to: "c.json") }
            let config = mistake.file == nil ? [] : ["--config", scratch.path + "/c.json"]
            let arguments = mistake.arguments.map { $0.replacingOccurrences(of: "SCRATCH", with: scratch.path) }
            let result = try await run(arguments + config, environment: mistake.environment)
            #expect(result.status == mistake.status, "\(mistake.arguments): \(result)")
            for word in mistake.words { #expect(result.errors.contains(word), "\(mistake): \(result.errors)") }
            for word in mistake.unwanted { #expect(!result.errors.contains(word), "\(mistake): \(result.errors)") }
        }
    }

    @Test(
        "Output that cannot be written is reported in plain words",
        arguments: ["tree export", "post", "status", "config"])
    func fullDevice(command: String) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            _ = try await daemon.client.ask(.post, "/v1/uploads?user=maria&text=hello")
            let result = try await run(
                command.split(separator: " ").map(String.init) + ["--storage", daemon.storage], output: "/dev/full")
            #expect(result.status == 75, "\(result)")
            #expect(result.errors.contains("standard output: No space left on device"), "\(result)")
            for word in ["Error Domain", "NSError", "Foundation"] {
                #expect(!result.errors.contains(word), "\(result)")
            }
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("A missing permission is a permanent failure")
    func permission() async throws {
        try await withScratch { scratch in
            let closed = scratch.path + "/closed"
            #expect(mkdir(closed, 0) == 0)
            var command = [Child.binary]
            if geteuid() == 0 {
                // Root may do everything; and the build's folder may be closed to all others.
                let copy = scratch.path + "/tintype"
                // A separate process copies it: a child that another test starts meanwhile would inherit our
                // descriptor, and a program that is open for writing cannot be run.
                let copying = try Child(
                    [Child.binary, copy], program: "/bin/cp", output: "/dev/null", errors: "/dev/null")
                #expect(try await copying.wait() == 0)
                for path in [scratch.path, copy] { #expect(chmod(path, 0o755) == 0) }
                command = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy]
            }
            command += ["serve", "--storage", closed + "/Storage"]
            let child = try Child(
                Array(command.dropFirst()), program: command[0], output: scratch.path + "/out",
                errors: scratch.path + "/err")
            let status = try await child.wait()
            let errors = try text(scratch.path + "/err")
            #expect(status == 1 && errors.contains("Permission denied"), "\(status): \(errors)")
        }
    }

    @Test("The trace of a refusal finds it in the log, at the usual level")
    func trace() async throws {
        struct Problem: Decodable { let trace: String }
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage", arguments: ["--log-level", "info"])
            for (path, status) in [("/v1/posts?limit=many", 400), ("/v1/people/nobody", 404)] {
                let answer = try await daemon.get(path)
                #expect(answer.status == status)
                let trace = try answer.json(Problem.self).trace
                let lines = try text(daemon.storage + ".log").split(separator: "\n").filter { $0.contains(trace) }
                #expect(lines.count == 1 && lines[0].contains("\(status)"), "\(lines)")
                #expect(lines.first?.contains(path.split(separator: "?")[0]) == true, "\(lines)")
            }
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("status describes sizes and files in words")
    func status() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(
                storage: scratch.path + "/Storage", arguments: ["--inbox-quiet", "1h", "--free-space", "1MiB"])
            _ = try await daemon.upload(try Fixture.bytes("size-24x16.jpg"), by: "maria")
            // Without its end it is not claimed before the hour is over.
            let part = Array(try Fixture.bytes("baseline-420.jpg").dropLast(500))
            for name in ["a.jpg", "below/b.jpg"] { try scratch.write(part, to: "Storage/inbox/maria/\(name)") }
            try scratch.write("{}", to: "Storage/inbox/maria/a.jpg.json")
            try scratch.write(part, to: "Storage/inbox/maria/.hidden.jpg")
            let result = try await run(["status", "--storage", daemon.storage])
            for line in [
                "uploads: taken", "since the start: 1 published, 0 duplicates, 0 failed", "waiting: none",
                "inbox: 2 files",
            ] {
                #expect(result.output.split(separator: "\n").contains { $0.hasPrefix(line) }, "\(line): \(result)")
            }
            #expect(result.output.contains(/free space: [0-9.]+ [KMGTP]iB; 1\.0 MiB must stay free/), "\(result)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("Every command's help fits 80 columns, with whole paragraphs, and examples that stay on their lines")
    func help() async throws {
        var commands: [[String]] = [[]]
        var read = 0
        while read < commands.count {
            let command = commands[read]
            read += 1
            let help = try await run(command + ["--help"], environment: ["COLUMNS": "80"]).output
            let listed = help.split(separator: "SUBCOMMANDS:", omittingEmptySubsequences: false).dropFirst().joined()
            let names = listed.matches(of: /(?m)^  ([a-z]+)(?:, [a-z]+)*(?: \(default\))?(?: +[A-Z]|$)/)
            commands += names.map { command + [String($0.1)] }
            let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { #expect(line.count <= 80, "\(command): \(line)") }
            var inExamples = false
            for (line, next) in zip(lines, lines.dropFirst()) {
                if line.hasPrefix("USAGE:") { break }
                if line.isEmpty { inExamples = false }
                if inExamples { #expect(line.hasPrefix("  "), "\(command): \(line)") }
                if !line.isEmpty, line.allSatisfy({ $0.isUppercase || $0 == " " }) {
                    inExamples = line.hasPrefix("EXAMPLE")
                    continue
                }
                guard !inExamples, !line.hasPrefix(" "), !next.hasPrefix(" "),
                    let word = next.split(separator: " ").first
                else { continue }
                #expect(line.isEmpty || line.count + 1 + word.count >= 80, "\(command): cut too early: \(line)")
            }
        }
        let some = [["serve"], ["store", "check"], ["store", "unclaimed", "rm"], ["post", "ls"], ["quota", "set"]]
        #expect(Set(commands).isSuperset(of: some), "\(commands)")
    }
}
