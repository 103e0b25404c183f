import Client
import DaemonSupport
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tintype api", .timeLimit(.minutes(20)))
struct APICommandTests {
    /// A request, and its expected result.
    private struct Case {
        let arguments: [String]
        /// The bytes on standard input.
        var input: String?
        var status: Int32 = 0
        /// All of standard output; nil for any output.
        var output: String?
        /// A part of standard error; nil for empty output.
        var error: String?
    }

    /// Mistakes in a folder without a service; the file `note.json` exists.
    private static let mistakes = [
        Case(arguments: [], status: 2, error: "Missing expected argument"),
        Case(arguments: ["GET"], status: 2, error: "Missing expected argument"),
        Case(arguments: ["FETCH", "/v1/posts"], status: 2, error: "use GET, HEAD, POST, PUT, PATCH, DELETE"),
        Case(arguments: ["G ET", "/v1/posts"], status: 2, error: "there is no method \"G ET\""),
        Case(arguments: ["GET", "v1/posts"], status: 2, error: "write it as in /v1/posts"),
        Case(arguments: ["GET", "http://localhost/v1/posts"], status: 2, error: "does not begin with a slash"),
        Case(arguments: ["GET", "/v1/posts", "{}"], status: 2, error: "GET has no JSON body"),
        Case(arguments: ["PUT", "/a.json", "{'a': 1}"], status: 2, error: "JSON:1:2: "),
        Case(arguments: ["PUT", "/a.json", "{\"a\": 1"], status: 2, error: "name a file with @FILE"),
        Case(arguments: ["PUT", "/a.json", "-"], input: "{\n,}", status: 2, error: "standard input:2:1: "),
        Case(arguments: ["PUT", "/a.json", "-"], status: 2, error: "standard input:1:1: "),
        Case(arguments: ["PUT", "/a.json", "@none.json"], status: 1, error: "No such file"),
        Case(arguments: ["PUT", "/a.json", "{}"], status: 75, error: "Start it with \"tintype serve\""),
        Case(arguments: ["GET", "/v1/posts"], status: 75, error: "no service is listening"),
    ]

    @Test("39: A malformed request is wrong usage with a hint; without a service a request may succeed later")
    func mistakes() async throws {
        try await withScratch { scratch in
            try scratch.write("", to: "empty")
            for one in Self.mistakes {
                if let input = one.input { try scratch.write(input, to: "input") }
                let result = try await run(
                    ["api"] + one.arguments + ["--storage", scratch.path + "/Storage"],
                    input: scratch.path + (one.input == nil ? "/empty" : "/input"))
                #expect(result.status == one.status && result.output.isEmpty, "\(one.arguments): \(result)")
                #expect(result.errors.contains(one.error ?? "?"), "\(one.arguments): \(result)")
            }
        }
    }

    @Test(
        "39: Each method is sent with its JSON from an argument, a file or standard input, and answered byte for byte")
    func requests() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let file = scratch.path + "/note.json"
            try scratch.write(#"{"b": "ö", "a": 1e2}"#, to: "note.json")
            let cases = [
                Case(arguments: ["GET", "/notes.json"], output: "null"),
                Case(arguments: ["PUT", "/notes/n.json", "@" + file], output: #"{"a":100,"b":"ö"}"#),
                Case(arguments: ["patch", "/notes/n.json", "-"], input: #"{"b": null}"#, output: #"{"b":null}"#),
                Case(arguments: ["GET", "/notes/n.json"], output: #"{"a":100}"#),
                Case(arguments: ["PUT", "/notes/größe 5.json", "--", "-5"], output: "-5"),
                Case(arguments: ["GET", "/notes/gr%C3%B6%C3%9Fe%205.json"], output: "-5"),
                Case(arguments: ["DELETE", "/notes.json"], output: "null"),
                Case(arguments: ["HEAD", "/v1/posts"], output: ""),
                Case(arguments: ["PUT", "/v1/people/maria", #"{"full_name": "Maria"}"#]),
                Case(
                    arguments: ["PATCH", "/v1/people/maria/privacy", #"{"social": false}"#],
                    output: #"{"content":true,"data_processing":true,"social":false}"#),
                Case(arguments: ["POST", "/v1/uploads?user=maria&text=hello"]),
                Case(arguments: ["POST", "/v1/announcements", #"{"text": ""}"#], status: 1, output: "", error: "text"),
                Case(
                    arguments: ["GET", "/v1/posts/-OaBcDeFgHiJkLmNoPqR"], status: 1, output: "",
                    error: "tintype: there is no such post. List the newest with GET /v1/posts.\n"),
                Case(arguments: ["POST", "/v1/posts"], status: 1, output: "", error: "tintype: "),
                Case(arguments: ["GET", "/v1/posts/a\r\nX: y"], status: 1, output: "", error: "there is no such post"),
            ]
            for one in cases {
                if let input = one.input { try scratch.write(input, to: "input") }
                let result = try await run(
                    ["api", "--storage", daemon.storage] + one.arguments,
                    input: one.input == nil ? "/dev/null" : scratch.path + "/input")
                #expect(result.status == one.status, "\(one.arguments): \(result)")
                #expect(one.output == nil || result.output == one.output, "\(one.arguments): \(result)")
                let errors = result.errors
                #expect(one.error.map { errors.contains($0) } ?? errors.isEmpty, "\(one.arguments): \(result)")
            }
            let head = try await run(["api", "GET", "/a.json", "-i", "--storage", daemon.storage])
            #expect(head.output.hasPrefix("HTTP/1.1 200 OK\n") && head.output.hasSuffix("\n\nnull"), "\(head)")
            let refused = try await run(["api", "GET", "/v1/x", "--include", "--storage", daemon.storage])
            #expect(refused.status == 1 && refused.output.hasPrefix("HTTP/1.1 404 Not Found\n"), "\(refused)")
            #expect(!refused.output.contains("{") && refused.errors.hasPrefix("tintype: "), "\(refused)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("39: A photo is printed byte for byte, a long answer ends with its reader, and a terminal is safe from both")
    func bodies() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            _ = try await daemon.upload(Fixture.bytes("photo.jpg"), by: "maria")
            let path = try #require(try await daemon.get("/v1/posts").json["posts"][0]["full_url"].string)
            let photo = try await daemon.get(path)
            let copy = scratch.path + "/copy.jpg"
            #expect(try await run(["api", "GET", path] + storage, output: copy).status == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == Data(photo.body), "byte for byte")

            let long = String(repeating: "x", count: 4 << 20)
            let text = #"["\u009b31m\n", {}, "\#(long)"]"#
            #expect(try await daemon.client.ask(.put, "/long.json", body: .bytes(Array(text.utf8))).status == 200)
            let cut = try await shell(
                #"\#(Child.binary) api GET /long.json --storage '\#(daemon.storage)' | head -c 2; exit ${PIPESTATUS[0]}"#,
                in: scratch)
            #expect(cut.status == 1 && cut.output.utf8.count == 2 && cut.errors.isEmpty, "\(cut)")
            let full = try await run(["api", "GET", "/long.json"] + storage, output: "/dev/full")
            #expect(full.status == 75 && full.errors.contains("standard output: No space"), "\(full)")

            _ = try await daemon.client.ask(.delete, "/long/2.json")
            let terminal = try PseudoTerminal()
            #expect(try await run(["api", "GET", "/long.json"] + storage, output: terminal.path).status == 0)
            #expect(terminal.readToEnd() == "[\r\n  \"\\u{009B}31m\\n\"\r\n]\r\n")
            let shown = try await run(["api", "GET", path] + storage, output: terminal.path)
            #expect(shown.status == 2 && shown.errors.contains("image/jpeg"), "\(shown)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test(
        "39: A stream prints its events as they happen, until Ctrl-C or the service's end", arguments: [true, false])
    func streams(isInterrupted: Bool) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let (output, errors) = (scratch.path + "/out", scratch.path + "/err")
            let child = try Child(
                ["api", "GET", "/v1/posts/events", "--storage", daemon.storage], output: output, errors: errors)
            try await eventually { (try? text(output))?.contains(": new posts follow") == true }
            _ = try await daemon.client.ask(.post, "/v1/uploads?user=maria&text=hello")
            try await eventually { (try? text(output))?.contains("event: put\n") == true }
            if isInterrupted {
                child.send(SIGINT)
                #expect(try await child.wait() == 128 + SIGINT)
                #expect(try await daemon.stop() == 0)
            } else {
                #expect(try await daemon.stop() == 0)
                #expect(try await child.wait() == 75)
                #expect(try text(errors).contains("the service has ended the stream"))
            }
        }
    }

    @Test("39: The changelog and the error name the replacement of a removed command, and the replacement works")
    func removed() async throws {
        let changelog = try text(Fixture.folder + "/../Documentation/Changelog.md")
        let rows = changelog.matches(of: /\| `tintype ([^`]+)` \| `(tintype (?:api|audience) [^`]+)` \|/)
        #expect(rows.count == 18)
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            for uid in ["USER", "OTHER"] {
                let person = "{\"full_name\": \"\(uid)\"}"
                _ = try await daemon.client.ask(.put, "/people/\(uid).json", body: .bytes(Array(person.utf8)))
            }
            let audience = #"{"name": "NAME", "kind": "group", "members": {"USER": "owner"}}"#
            let made = try await daemon.client.ask(
                .put, "/v1/audiences/ID", headers: [.contentType: "application/json"],
                body: .bytes(Array(audience.utf8)))
            #expect(made.status == 201, "\(made.text)")
            let answer = try await daemon.client.ask(.post, "/v1/uploads?user=USER&text=hello%20%23TAG")
            var names = ["POST/": try #require(answer.json["post_id"].string) + "/", "tintype": Child.binary]
            for row in rows {
                let old = row.output.1.split(separator: " ").map(String.init)
                let mistake = try await run(old)
                #expect(mistake.status == 2 && mistake.errors.contains(": \(row.output.2) (see "), "\(old): \(mistake)")
                var command = String(row.output.2)
                for (name, value) in names { command = command.replacingOccurrences(of: name, with: value) }
                let result = try await shell("\(command) --storage '\(daemon.storage)'", in: scratch)
                #expect(result.status == 0, "\(command): \(result)")
                if old[0] == "comment" {
                    let comment = try JSONDecoder().decode(JSON.self, from: Data(result.output.utf8))
                    names["/COMMENT"] = "/" + (try #require(comment["comment_id"].string))
                }
            }
            #expect(try await daemon.stop() == 0)
        }
    }

    /// Runs a command line in a shell.
    private func shell(
        _ line: String, in scratch: Scratch
    ) async throws -> (status: Int32, output: String, errors: String) {
        let files = scratch.path + "/shell-" + UUID().uuidString
        let child = try Child(["-c", line], program: "/bin/bash", output: files + ".out", errors: files + ".err")
        let status = try await child.wait()
        return (status, try text(files + ".out"), try text(files + ".err"))
    }
}
