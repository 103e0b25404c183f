import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tintype tree export, import, serve --engine memory", .timeLimit(.minutes(20)))
struct TreeCommandTests {
    @Test(
        "B1, B2: a tree with priorities, large enough for several parts, is restored exactly", arguments: ["", "kept"])
    func roundTrip(path: String) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let place = path.isEmpty ? [] : [path]
            let storage = place + ["--storage", daemon.storage, "--ns", "copy"]
            let children = (0..<60_000).map { number in
                "\"k\(number)\":{\".priority\":\(number % 7),\"n\":\(number),\"t\":\"\(String(repeating: "é", count: number % 90))\"}"
            }
            try scratch.write("{\(children.joined(separator: ","))}", to: "tree.json")
            let tree = scratch.path + "/tree.json"
            let (first, second) = (scratch.path + "/1.json", scratch.path + "/2.json")

            let imported = try await run(["tree", "import", tree] + storage + ["--json"])
            #expect(imported.status == 0, "\(imported)")
            #expect(!imported.output.contains("\"parts\":1,"), "\(imported.output)")
            let exported = try await run(["tree", "export"] + storage + ["-o", first])
            #expect(exported.status == 0, "\(exported)")
            // Existing data are deleted.
            _ = try await daemon.client.ask(
                .put, "/\(path.isEmpty ? "" : path + "/")stale.json?ns=copy", body: .bytes(Array("1".utf8)))
            #expect(try await run(["tree", "import", first, "--replace", "--yes"] + storage).status == 0)
            #expect(try await run(["tree", "export"] + storage + ["-o", second]).status == 0)
            #expect(try text(first) == text(second))
            let plain = try JSONSerialization.jsonObject(with: Data(try text(first).utf8)) as? [String: [String: Any]]
            #expect(plain?.count == 60_000 && plain?["k59999"]?[".priority"] as? Int == 59_999 % 7)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: scratch.path).allSatisfy { !$0.contains(".part") })
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("--merge keeps unnamed data; a file with a fault writes nothing, and the fault's place is reported")
    func mergeAndFaults() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            _ = try await daemon.client.ask(.put, "/x.json", body: .bytes(Array(#"{"a":1,"b":{"c":2}}"#.utf8)))
            try scratch.write(#"{"b":{"d":3},"e":4}"#, to: "more.json")
            let merged = try await run(["tree", "import", scratch.path + "/more.json", "x", "--merge"] + storage)
            #expect(merged.status == 0, "\(merged)")
            let whole = try await run(["tree", "export", "x"] + storage)
            #expect(whole.output == #"{"a":1,"b":{"d":3},"e":4}"#)

            let faults: [(file: String, complaint: String)] = [
                ("{\"a\":1,\n\"b\":2,}", "fault.json:2:"), ("{\"a\":1", "fault.json:1:"),
                ("{\"a#\":1}", "fault.json:1:"),
                ("", "fault.json"),
            ]
            for fault in faults {
                try scratch.write(fault.file, to: "fault.json")
                let refused = try await run(
                    ["tree", "import", scratch.path + "/fault.json", "x", "--replace", "--yes"] + storage)
                #expect(refused.status == 1 && refused.errors.contains(fault.complaint), "\(fault.file): \(refused)")
            }
            #expect(try await run(["tree", "export", "x"] + storage).output == whole.output)
            let missing = try await run(["tree", "import", scratch.path + "/nowhere.json"] + storage)
            #expect(missing.status == 1 && missing.errors.contains("nowhere.json"), "\(missing)")
            let folder = try await run(["tree", "export", "-o", scratch.path] + storage)
            #expect(folder.status == 1 && folder.errors.contains("not a regular file"), "\(folder)")
            #expect(try await daemon.stop() == 0)
            let nobody = try await run(["tree", "export"] + storage)
            #expect(nobody.status == 75, "\(nobody)")
        }
    }

    @Test("Existing data are replaced only after a confirmation that shows the loss", arguments: ["", "posts"])
    func loss(path: String) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let post = try await daemon.upload(try Fixture.bytes("size-24x16.jpg"), by: "maria")
            try scratch.write(#"{"x":{"y":1}}"#, to: "small.json")
            let place = path.isEmpty ? [] : [path]
            let command = ["tree", "import", scratch.path + "/small.json"] + place
            let storage = ["--storage", daemon.storage]
            let before = try await run(["tree", "export"] + storage).output
            let loss = path.isEmpty ? "posts (1)" : post
            let refusals: [(more: [String], standardInput: String?, status: Int32, words: [String])] = [
                ([], nil, 2, ["--merge", "--replace", loss, "Nothing was written"]),
                (["--yes"], nil, 2, ["--merge", "--replace"]),
                (["--replace"], nil, 2, ["--yes", loss]),
                (["--replace"], "n\n", 1, [loss, "[y/N]"]),
                (["--replace"], "\n", 1, [loss, "[y/N]"]),
                (["--replace", "--merge"], nil, 2, ["--merge"]),
            ]
            for refusal in refusals {
                let result = try await run(command + refusal.more + storage, terminalInput: refusal.standardInput)
                #expect(result.status == refusal.status, "\(refusal): \(result)")
                for word in refusal.words { #expect(result.errors.contains(word), "\(refusal): \(result)") }
                #expect(try await run(["tree", "export"] + storage).output == before, "\(refusal) wrote something")
            }
            #expect(try await run(command + ["--merge"] + storage).status == 0)
            let merged = try await run(["tree", "export"] + storage).output
            #expect(merged.contains(post) && merged.contains(#""x":{"y":1}"#), "\(merged)")
            let replaced = try await run(command + ["--replace"] + storage, terminalInput: "y\n")
            #expect(replaced.status == 0 && replaced.errors.contains(loss), "\(replaced)")
            #expect(try await run(["tree", "export"] + place + storage).output == #"{"x":{"y":1}}"#)
            let fresh = try await run(["tree", "import", scratch.path + "/small.json", "new/place"] + storage)
            #expect(fresh.status == 0, "no data could be lost: \(fresh)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("F11: A throw-away tree begins with a file, and leaves no files behind")
    func seed() async throws {
        try await withScratch { scratch in
            try scratch.write(#"{"dinosaurs":{"a":{"height":2},"b":{"height":1}}}"#, to: "seed.json")
            try scratch.write(#"{"rules":{"dinosaurs":{".indexOn":"height"}}}"#, to: "rules.json")
            let files = ["--seed", scratch.path + "/seed.json", "--rules", scratch.path + "/rules.json"]
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage, arguments: ["--engine", "memory"] + files)
            let answer = try await daemon.get("/dinosaurs.json?orderBy=%22height%22&limitToFirst=1")
            #expect(answer.text == #"{"b":{"height":1}}"#)
            #expect(try await daemon.client.ask(.put, "/x.json", body: .bytes(Array("1".utf8))).status == 200)
            #expect(try await daemon.stop() == 0)
            let again = try await Daemon(storage: storage, arguments: ["--engine", "memory"])
            #expect(try await again.get("/.json").text == "null")
            #expect(try await again.stop() == 0)

            let refusals: [(arguments: [String], complaint: String)] = [
                (["--seed", scratch.path + "/seed.json"], "tintype tree import"),
                (["--engine", "disk"], "sqlite or memory"),
                (["--engine", "memory", "--seed", scratch.path + "/nowhere.json"], "nowhere.json"),
                (["--engine", "memory", "--rules", scratch.path + "/seed.json"], "seed.json"),
            ]
            for refusal in refusals {
                let result = try await run(["serve", "--storage", storage] + refusal.arguments)
                #expect(result.status != 0 && result.errors.contains(refusal.complaint), "\(refusal): \(result)")
            }
        }
    }
}
