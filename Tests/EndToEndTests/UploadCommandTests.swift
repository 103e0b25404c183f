import DaemonSupport
import Foundation
import TestSupport
import Testing

@Suite("tintype upload: named, resumed, from folders and standard input", .timeLimit(.minutes(20)))
struct UploadCommandTests {
    /// Returns the same picture in different bytes: a comment (ITU-T T.81 §B.2.4.5) after the first marker has the
    /// number.
    private static func photo(_ number: Int) throws -> [UInt8] {
        let photo = try Fixture.bytes("baseline-420.jpg")
        return photo.prefix(2) + [0xFF, 0xFE, 0x00, 0x04, UInt8(number >> 8), UInt8(number & 0xFF)] + photo.dropFirst(2)
    }

    private func posts(of user: String, _ storage: [String]) async throws -> Set<String> {
        let list = try await run(["post", "--all", "--user", user] + storage)
        return Set(list.output.split(separator: "\n").map { String($0.prefix(20)) })
    }

    @Test(
        "Stopped and started again, it posts each photo once, and reports its progress",
        arguments: [SIGINT, SIGTERM, SIGKILL])
    func resumed(signal: Int32) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage", arguments: ["--workers", "1"])
            let storage = ["--storage", daemon.storage]
            for number in 0..<40 { try scratch.write(try Self.photo(number), to: "photos/p\(100 + number).jpg") }
            let command = ["upload", scratch.path + "/photos", "--user", "maria"] + storage
            let (output, errors) = (scratch.path + "/out", scratch.path + "/err")
            let child = try Child(command, output: output, errors: errors)
            try await eventually { (try? text(output))?.isEmpty == false }
            child.send(signal)
            let status = try await child.wait()
            let first = try text(output).split(separator: "\n")
            if signal != SIGKILL {
                #expect(status == 75 && first.count < 40, "\(status), \(first.count)")
                let told = try text(errors)
                #expect(told.contains("stopped after \(first.count) of 40 posts; run it again"), "\(told)")
            }

            let second = try await run(command)
            let lines = second.output.split(separator: "\n").map { $0.components(separatedBy: "  ") }
            #expect(second.status == 0 && lines.count == 40, "\(second)")
            #expect(lines.map { $0[1] } == (0..<40).map { "\(scratch.path)/photos/p\(100 + $0).jpg" })
            let known = lines.filter { $0.last == "posted before" }.count
            #expect(known >= first.count && known < 40, "\(known) of \(first.count)")
            #expect(second.errors.contains("\(40 - known) published, \(known) posted before"), "\(second.errors)")
            let ids = Set(lines.map { $0[0] })
            #expect(ids.count == 40)
            #expect(try await posts(of: "maria", storage) == ids, "nothing twice")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("A folder's pictures are found, whatever their names; standard input; the same bytes once, or --again")
    func inputs() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--user", "maria", "--storage", daemon.storage]
            try scratch.write(try Self.photo(1), to: "in/b.jpg")
            try scratch.write(try Self.photo(2), to: "in/sub folder/no-extension")
            try scratch.write(try Self.photo(1), to: "in/copy.of.b")
            try scratch.write(try Self.photo(3), to: "in/.hidden.jpg")
            try scratch.write("no photo", to: "in/notes.jpg")
            let folder = scratch.path + "/in"
            for path in [folder, folder + "/"] {
                let result = try await run(["upload", path] + storage)
                let lines = result.output.split(separator: "\n").map { $0.components(separatedBy: "  ") }
                let names = ["b.jpg", "copy.of.b", "sub folder/no-extension"].map { folder + "/" + $0 }
                #expect(result.status == 0 && lines.map { $0[1] } == names, "\(result)")
                #expect(lines[0][0] == lines[1][0] && lines[0][0] != lines[2][0], "the same bytes, one post")
                let skipped =
                    "skipped 1 file that is not a photo:\n  \(scratch.path)/in/notes.jpg: text is not supported\n"
                #expect(result.errors.contains(skipped), "\(result)")
            }
            #expect(try await posts(of: "maria", Array(storage.suffix(2))).count == 2)

            let piped = try await run(["upload", "-", "--json"] + storage, input: folder + "/.hidden.jpg")
            #expect(
                piped.output.contains(#""files":["-"]"#) && piped.output.contains(#""outcome":"published""#), "\(piped)"
            )
            let known = try await run(["upload", "-", "--json"] + storage, input: folder + "/.hidden.jpg")
            #expect(known.status == 0 && known.output.contains(#""outcome":"duplicate""#), "\(known)")
            let again = try await run(["upload", "--again", folder + "/.hidden.jpg"] + storage)
            #expect(again.status == 0 && !again.output.contains("posted before"), "\(again)")
            #expect(try await posts(of: "maria", Array(storage.suffix(2))).count == 4)
            let both = ["upload", folder + "/b.jpg", folder + "/.hidden.jpg", "--one-post", "--text", "Two"] + storage
            let two = try await run(both)
            #expect(two.status == 0 && !two.output.contains("posted before"), "\(two)")
            #expect(try await run(both).output == two.output.dropLast() + "  posted before\n")

            try scratch.write("nothing", to: "empty/notes.txt")
            for number in 10..<22 { try scratch.write("", to: "empty/\(number).jpg") }
            let many = try await run(["upload", scratch.path + "/empty"] + storage)
            #expect(many.errors.contains("skipped 13 files that are not photos:\n"), "\(many)")
            #expect(many.errors.contains("/empty/19.jpg: the file is empty\n  and 3 more\n"), "\(many)")
            #expect(!many.errors.contains("/empty/20.jpg"), "\(many)")
            let refusals: [(arguments: [String], status: Int32, word: String)] = [
                ([scratch.path + "/empty"], 2, "no photo"), (["-", "-"], 2, "standard input"),
                ([folder, "--key", "k"], 2, "--one-post"), ([scratch.path + "/nowhere"], 1, "nowhere"),
            ]
            for refusal in refusals {
                let result = try await run(["upload"] + refusal.arguments + storage)
                #expect(result.status == refusal.status && result.errors.contains(refusal.word), "\(result)")
            }
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("--alt, once for each photo in their order; more than the photos, or one for a folder, are refused")
    func alternativeTexts() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--user", "maria", "--storage", daemon.storage]
            let files = (0..<3).map { "\(scratch.path)/p\($0).jpg" }
            for (number, _) in files.enumerated() { try scratch.write(try Self.photo(number), to: "p\(number).jpg") }
            func alts(_ arguments: [String]) async throws -> [String] {
                let result = try await run(["upload", "--again", "--json"] + arguments + storage)
                #expect(result.status == 0, "\(result)")
                return result.output.matches(of: /"alt":"([^"]*)"/).map { String($0.1) }
            }
            let two = ["--alt", "A jetty", "--alt", "Zwölf Möwen"]
            #expect(try await alts(files + two) == ["A jetty", "Zwölf Möwen"])
            #expect(try await alts(files + ["--one-post", "--alt", "", "--alt", "The lake"]) == ["The lake"])
            let list = try await run(["post", "--json", "--limit", "1"] + Array(storage.suffix(2)))
            #expect(list.output.contains(#""alt":"The lake""#), "\(list)")

            let refusals: [(arguments: [String], status: Int32, word: String)] = [
                ([files[0]] + two, 2, "2 times, for 1 photo"), (["--text", "Words", "--alt", "A jetty"], 2, "--alt"),
                ([scratch.path, "--alt", "A jetty"], 2, "is a folder"),
                ([files[0], "--alt", String(repeating: "x", count: 1001)], 1, "1000 characters"),
            ]
            for refusal in refusals {
                let result = try await run(["upload", "--again"] + refusal.arguments + storage)
                #expect(result.status == refusal.status && result.errors.contains(refusal.word), "\(result)")
            }
            #expect(try await posts(of: "maria", Array(storage.suffix(2))).count == 4, "nothing was sent")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("On a terminal, a line never follows the progress bar on its line")
    func progressBar() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let terminal = try PseudoTerminal()
            var files: [String] = []
            for number in 0..<3 {
                try scratch.write(try Self.photo(number), to: "p\(number).jpg")
                files += ["\(scratch.path)/p\(number).jpg", Fixture.path("text.jpg")]
            }
            let child = try Child(
                ["upload"] + files + ["--user", "maria", "--storage", daemon.storage], output: terminal.path,
                errors: terminal.path)
            #expect(try await child.wait() == 3)
            let screen = terminal.readToEnd()
            #expect(screen.contains("█"), "there is a bar: \(screen)")
            // The final contents of a line: the text after it was last cleared.
            for line in screen.split(separator: "\r\n") {
                let shown = line.components(separatedBy: "\r\u{1B}[K").last ?? ""
                #expect(!shown.contains("█") || shown.hasPrefix("["), "\(shown)")
                if shown.contains("text.jpg") || shown.contains(".jpg  ") { #expect(!shown.contains("█"), "\(shown)") }
            }
            #expect(try await daemon.stop() == 0)
        }
    }
}
