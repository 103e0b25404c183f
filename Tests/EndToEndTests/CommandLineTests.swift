import Foundation
import TestSupport
import Testing

@Suite("The command line: exit codes, errors with a remedy, JSON for scripts", .timeLimit(.minutes(20)))
struct CommandLineTests {
    @Test(
        arguments: [
            (["--version"], 0, ""), (["--help"], 0, ""), (["nonsense"], 2, "nonsense"),
            (["serve", "--nonsense"], 2, "--nonsense"), (["serve", "--emulator"], 2, "--listen"),
            (["serve", "--listen", "127.0.0.1:0", "--emulator", "--behind-proxy", "127.0.0.1"], 2, "behind-proxy"),
            (["serve", "--listen", "127.0.0.1:0", "--emulator", "--public-url", "https://a.example"], 2, "public-url"),
            (["serve", "--listen", "127.0.0.1:0", "--behind-proxy", "0.0.0.0/0"], 2, "one owner"),
            (["serve", "--listen", "127.0.0.1:0", "--proxy-field", "a b"], 2, "name of a field"),
            (["upload", "x.jpg"], 2, "--user"),
            (["upload", "--user", "u", "--text", "t", "--mention", "anna"], 2, "--mention needs person:start:length"),
            (["photo", "render", "x.jpg", "--out", "o", "--recipe", "thumb"], 2, "thumb"),
            (["photo", "render", "x.jpg", "--out", "o", "--recipe", "a=1", "--recipe", "a=2"], 2, "same name"),
            (["serve", "--listen", "0.0.0.0:80"], 2, "--tls-certificate"),
            (["serve", "--workers", "many"], 2, "--workers"),
            (["status", "--storage", "nowhere"], 75, "tintype serve"),
            (["upload", "--user", "u", "--text", "t"], 75, "no service"),
            (["serve", "--config", "missing.json"], 2, "missing.json"),
            (["user", "ls", "--recipe", "thumb=40"], 2, "the setting recipes of the service"),
            (["rethumb", "status", "--recipe", "thumb=40"], 2, "the setting recipes of the service"),
            (["rethumb", "rollback", "--max-side=40"], 2, "the setting max-side of the service"),
            (["rethumb", "run", "--listen", "127.0.0.1:80"], 2, "the setting listen of the service"),
            (["rethumb", "status", "--nonsense"], 2, "--nonsense"),
        ] as [([String], Int32, String)])
    func exitCodes(arguments: [String], status: Int32, mentions: String) async throws {
        try await withScratch { scratch in
            let storage =
                arguments.contains("--storage") || arguments.first?.hasPrefix("-") == true
                ? [] : ["--storage", scratch.path]
            let known = ["status", "upload", "serve", "rethumb", "posts"].contains(arguments.first)
            let result = try await run(arguments + (known ? storage : []))
            #expect(result.status == status, "\(result)")
            #expect(mentions.isEmpty || result.errors.contains(mentions), "\(result)")
        }
    }

    @Test(
        "Arguments are printed without control characters, and usage keeps its lines",
        arguments: [["\u{1B}[2J\u{202E}"], ["user", "\u{1B}[2J\u{202E}"], ["status", "--\u{1B}[2J\u{202E}"]])
    func controlCharacters(arguments: [String]) async throws {
        let told = try await run(arguments)
        #expect(told.status == 2 && told.errors.contains(#"\u{1B}[2J\u{202E}"#), "\(told)")
        #expect(!told.errors.contains("\u{1B}") && !told.errors.contains("\u{202E}"), "\(told)")
        #expect(!told.errors.contains("\\n"), "\(told)")
    }

    @Test("render: a line per file, thumbnails named after the source, exit 3 when a file is refused")
    func render() async throws {
        struct Line: Decodable {
            struct Rendition: Decodable {
                let path: String
                let width: Int
                let height: Int
                let bytes: Int
            }
            let path: String
            let outcome: String
            let code: String?
            let message: String?
            let width: Int?
            let height: Int?
            let renditions: [String: Rendition]?
        }
        try await withScratch { scratch in
            let files = ["orientation-6-ii.jpg", "truncated-baseline-420.jpg", "text.jpg", "rgba-8.png"].map(
                Fixture.path)
            let out = scratch.path + "/out/of/folders"
            let result = try await run(
                ["photo", "render"] + files + [
                    "--out", out, "--recipe", "t=40", "--recipe", "sq=20,cover,alpha", "--json",
                ])
            #expect(result.status == 3, "\(result)")
            let lines = try result.output.split(separator: "\n").map {
                try JSONDecoder().decode(Line.self, from: Data($0.utf8))
            }
            #expect(lines.map(\.outcome) == ["ok", "refused", "refused", "ok"])
            #expect(lines.map(\.path) == files, "in the order of the arguments")
            #expect(lines.map(\.code) == [nil, "truncated", "unsupported_format", nil])
            #expect(lines[1].message?.contains("truncated-baseline-420.jpg") == true)
            #expect(lines[0].width == 96 && lines[0].height == 64)
            #expect(lines[0].renditions?["t"]?.path == out + "/orientation-6-ii-t.jpg")
            #expect(lines[0].renditions?["t"]?.width == 40)
            #expect(lines[3].renditions?["sq"]?.path == out + "/rgba-8-sq.png")
            for rendition in lines.flatMap({ $0.renditions?.values.map { $0 } ?? [] }) {
                let attributes = try FileManager.default.attributesOfItem(atPath: rendition.path)
                #expect(attributes[.size] as? Int == rendition.bytes)
                let mask = umask(0o022)
                umask(mask)
                #expect(attributes[.posixPermissions] as? Int == 0o666 & ~Int(mask), "as every tool writes files")
            }
        }
    }

    @Test("render: a path that is not a file is refused by name, without a delay")
    func renderStrangeThings() async throws {
        try await withScratch { scratch in
            #expect(mkfifo("\(scratch.path)/pipe.jpg", 0o600) == 0)
            for (path, code) in [
                (scratch.path, "wrong_kind"), ("\(scratch.path)/pipe.jpg", "wrong_kind"),
                ("\(scratch.path)/nowhere.jpg", "not_found"), (Fixture.path("empty.jpg"), "empty"),
            ] {
                let result = try await run(["photo", "render", path, "--out", scratch.path + "/out", "--json"])
                #expect(result.status == 3 && result.output.contains("\"\(code)\""), "\(result)")
                #expect(result.output.replacingOccurrences(of: "\\/", with: "/").contains(path))
            }
        }
    }

    @Test("config: a flag overrides the environment, the file and the default, in this order; typos are named")
    func config() async throws {
        try await withScratch { scratch in
            try scratch.write(#"{"workers": 3, "create-people": false, "max-side": 20000}"#, to: "c.json")
            let result = try await run(["config", "--config", scratch.path + "/c.json", "--max-side", "10000"])
            #expect(result.status == 0)
            let lines = result.output.split(separator: "\n").map {
                $0.split(whereSeparator: \.isWhitespace).map(String.init)
            }
            let rows = Dictionary(uniqueKeysWithValues: lines.map { ($0[0], $0.dropFirst().joined(separator: " ")) })
            #expect(rows["workers"] == "3 (\(scratch.path)/c.json)")
            #expect(rows["create-people"] == "false (\(scratch.path)/c.json)")
            #expect(rows["max-side"] == "10000 (--max-side)")
            #expect(rows["grace-period"] == "48h (default)")
            try scratch.write(#"{"wrokers": 3}"#, to: "typo.json")
            let typo = try await run(["config", "--config", scratch.path + "/typo.json"])
            #expect(typo.status == 2 && typo.errors.contains("wrokers") && typo.errors.contains("workers"))
        }
    }

    @Test("config: an icon that serve would refuse is refused after the list, and a picture is not")
    func icon() async throws {
        try await withScratch { scratch in
            try scratch.write("no picture", to: "text.png")
            try scratch.write(Fixture.bytes("size-24x16.jpg"), to: "small.jpg")
            for (file, words) in [
                ("none.png", "none.png"), ("text.png", "text.png"), ("small.jpg", "an icon needs 192"),
            ] {
                let result = try await run(["config", "--icon", "\(scratch.path)/\(file)"])
                #expect(result.status == 2, "\(result)")
                #expect(result.errors.contains("icon: ") && result.errors.contains(words), "\(result)")
                #expect(result.output.contains("\(file)  (--icon)"), "\(result)")
            }
            let good = try await run(["config", "--icon", Fixture.path("photo.jpg")])
            #expect(good.status == 0 && good.errors.isEmpty, "\(good)")
        }
    }

    @Test("upload, posts, status against a running service; a refused photo does not stop the others")
    func service() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            let good = Fixture.path("baseline-420.jpg")
            let three = try await run(["upload", good, Fixture.path("text.jpg"), good, "--user", "maria"] + storage)
            #expect(three.status == 3 && three.output.split(separator: "\n").count == 2)
            #expect(three.errors.contains("text.jpg") && three.errors.contains("text is not supported"))
            let one = try await run(
                ["upload", good, good, "--user", "maria", "--one-post", "--text", "Two", "--json"] + storage)
            #expect(one.status == 0 && one.output.contains(#""text":"Two""#), "\(one)")
            let words = try await run(["upload", "--user", "ana", "--text", "Just words"] + storage)
            #expect(words.status == 0, "\(words)")
            let missing = try await run(["upload", "nowhere.jpg", "--user", "ana"] + storage)
            #expect(missing.status == 1 && missing.errors.contains("nowhere.jpg"))
            let user = try await run(["upload", good, "--user", "../etc"] + storage)
            #expect(user.status == 1 && user.errors.contains("user"), "\(user)")
            let list = try await run(["post", "--user", "maria"] + storage)
            #expect(list.output.split(separator: "\n").count == 2, "the same photo twice is one post")
            let status = try await run(["status"] + storage)
            #expect(status.output.contains("since the start: 3 published"), "\(status)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test(
        "A second service on one Storage is refused and names the first; a dead service's socket is replaced"
    )
    func twoServices() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let first = try await Daemon(storage: storage, arguments: ["--listen", "127.0.0.1:0"])
            let second = try await run(["serve", "--storage", storage])
            #expect(second.status == 75 && second.errors.contains("process \(first.processID)"), "\(second)")
            #expect(try await first.get("/healthz").status == 200, "the first one's socket is untouched")
            try await first.killHard()
            let third = try await Daemon(storage: storage)
            #expect(try await third.get("/healthz").status == 200)
            #expect(try await third.stop() == 0)
            #expect(!FileManager.default.fileExists(atPath: storage + "/tintype.sock"))
        }
    }

    @Test("A port in use is named, and the whole service that needed it ends at once")
    func portInUse() async throws {
        try await withScratch { scratch in
            let first = try await Daemon(storage: scratch.path + "/first", arguments: ["--listen", "127.0.0.1:0"])
            let address = /http:\/\/127\.0\.0\.1:(\d+)\//
            // The socket answers before the port is logged.
            try await eventually { try scratch.read("first.log").contains(address) }
            let port = try #require(try scratch.read("first.log").firstMatch(of: address)?.1)
            let second = try await run([
                "serve", "--storage", scratch.path + "/second", "--listen", "127.0.0.1:\(port)",
            ])
            #expect(second.status == 1 && second.errors.contains("port \(port)"), "\(second)")
            #expect(second.errors.split(separator: "\n").count == 1, "only one line is printed: \(second.errors)")
            #expect(try await first.stop() == 0)
        }
    }

    @Test("--log-format json: one line of JSON per entry, with the upload's id in entries of an upload")
    func logs() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(
                storage: scratch.path + "/Storage", arguments: ["--log-level", "info", "--log-format", "json"])
            let photo = Fixture.path("size-24x16.jpg")
            let result = try await run(["upload", "--storage", daemon.storage, "--user", "maria", photo, "--json"])
            #expect(result.status == 0)
            #expect(try await daemon.stop() == 0)
            let lines = try text(daemon.storage + ".log").split(separator: "\n")
            let entries = try lines.map { try JSONDecoder().decode([String: String].self, from: Data($0.utf8)) }
            #expect(entries.contains { $0["message"]?.hasPrefix("listening on ") == true && $0["level"] == "notice" })
            let published = try #require(entries.first { $0["message"] == "published" })
            #expect(result.output.contains(try #require(published["upload"])))
            #expect(published["owner"] == "maria" && published["level"] == "info")
            #expect(
                try Date(
                    #require(published["time"]), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
                    < .now)
        }
    }
}
