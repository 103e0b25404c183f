import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite(
    "tintype inbox: failed files are listed, tried again or deleted, with and without a service",
    .timeLimit(.minutes(20)))
struct InboxCommandTests {
    private struct Line: Decodable {
        let path: String
        let code: String?
        let user: String?
        let outcome: String?
    }

    private func lines(_ arguments: [String], in storage: String, status: Int32 = 0) async throws -> [Line] {
        let result = try await run(["inbox"] + arguments + ["--storage", storage, "--json"])
        #expect(result.status == status, "\(result)")
        return try result.output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test("ls, retry and drop work beside a running service and without one")
    func life() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            try scratch.write(Fixture.bytes("text.jpg"), to: "Storage/inbox/maria/album/notes.jpg")
            try scratch.write(#"{"text": "from the lake"}"#, to: "Storage/inbox/stranger/a.jpg.json")
            try scratch.write(Fixture.bytes("baseline-420.jpg"), to: "Storage/inbox/stranger/a.jpg")
            let strict = try await Daemon(storage: storage, arguments: ["--create-people", "false"])
            try await eventually { try await lines(["ls"], in: storage).count == 2 }
            #expect(try await lines(["ls", "--user", "stranger"], in: storage).map(\.code) == ["unknown_user"])
            #expect(try await lines(["ls", "--reason", "corrupt"], in: storage).isEmpty)
            let unknown = try await run(["inbox", "ls", "--reason", "nothing", "--storage", storage])
            #expect(unknown.status == 2 && unknown.errors.contains("unknown_user"), "\(unknown)")
            let nobody = ["inbox", "ls", "--user", "bob@example.com", "--storage", storage]
            #expect(try await run(nobody).errors.contains("no person or account \"bob@example.com\""))
            #expect(try await strict.stop() == 0)

            // No service runs: the file is returned to the inbox, with its text.
            let retried = try await lines(["retry", "--reason", "unknown_user"], in: storage)
            #expect(retried.contains { $0.path == "unknown_user/stranger/a.jpg" && $0.outcome == "retried" })
            #expect(scratch.exists("Storage/inbox/stranger/a.jpg.json"))
            #expect(scratch.exists("Storage/inbox/stranger/a.jpg"))
            #expect(!scratch.exists("Storage/failed/unknown_user/stranger/a.jpg.reason.json"))
            let daemon = try await Daemon(storage: storage)
            try await eventually { scratch.exists("Storage/done/stranger/a.jpg.json") }
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("retry replaces no file, drop requires a confirmation, and both leave other files alone")
    func refusals() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            for user in ["maria", "kim"] {
                try scratch.write("text", to: "Storage/failed/corrupt/\(user)/a.jpg")
                let reason = #"{"code":"corrupt","message":"m\u001B[2J","hint":"h","failed_at":1,"user":"\#(user)"}"#
                try scratch.write(reason, to: "Storage/failed/corrupt/\(user)/a.jpg.reason.json")
            }
            try scratch.write("newer", to: "Storage/inbox/maria/a.jpg")
            let clash = try await lines(["retry", "maria/a.jpg"], in: storage, status: 1)
            #expect(clash.map(\.code) == ["exists"])
            #expect(try scratch.read("Storage/inbox/maria/a.jpg") == "newer")
            #expect(scratch.exists("Storage/failed/corrupt/maria/a.jpg"))
            #expect(try await lines(["retry", "--all"], in: storage, status: 3).count == 2)
            #expect(try scratch.read("Storage/inbox/kim/a.jpg") == "text")

            let unasked = try await run(["inbox", "rm", "maria/a.jpg", "--storage", storage])
            #expect(unasked.status == 2 && unasked.errors.contains("--yes"), "\(unasked)")
            #expect(!unasked.errors.contains("Usage:"), "\(unasked)")
            let absent = try await run(["inbox", "ls", "--user", "nobody", "--storage", storage])
            #expect(absent.status == 0 && absent.errors.contains("no failed files of nobody"), "\(absent)")
            let address = try await run(["inbox", "ls", "--user", "bob@example.com", "--storage", storage])
            #expect(address.status == 1 && address.errors.contains("is not an id"), "\(address)")
            #expect(try await run(["inbox", "rm", "--storage", storage]).status == 2)
            #expect(try await run(["inbox", "rm", "b.jpg", "--storage", storage, "--yes"]).status == 1)
            let listed = try await run(["inbox", "ls", "--storage", storage])
            #expect(listed.output.contains("corrupt/maria/a.jpg") && !listed.output.contains("\u{1B}"))
            #expect(try await lines(["rm", "maria/a.jpg", "--yes"], in: storage).map(\.outcome) == ["dropped"])
            #expect(try await lines(["ls"], in: storage).isEmpty)
            #expect(!scratch.exists("Storage/failed/corrupt/maria/a.jpg"))
        }
    }

    @Test("A photo that failed by HTTP is returned to the inbox as if it had been dropped, with its text")
    func byHTTP() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage)
            let bad = try Fixture.bytes("truncated-baseline-420.jpg")
            let answer = try await daemon.client.ask(.post, "/v1/uploads?user=maria&text=hello", body: .bytes(bad))
            #expect(answer.status == 422)
            try await eventually { try await lines(["ls", "--user", "maria"], in: storage).count == 1 }
            #expect(try await daemon.stop() == 0)
            let path = try #require(try await lines(["retry", "--all"], in: storage).first?.path)
            let name = String(path.split(separator: "/").last ?? "")
            #expect(try scratch.read("Storage/inbox/maria/\(name).json").contains("hello"))
            #expect(scratch.exists("Storage/inbox/maria/\(name)"))
        }
    }

    @Test("An upload is listed by the name that its sender gave, and by the sender's name while the service runs")
    func senders() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage)
            let bad = RequestBody.bytes(try Fixture.bytes("truncated-baseline-420.jpg"))
            for name in ["lake.jpg", "a%1B%5B2J%0Ab.jpg"] {
                let answer = try await daemon.client.ask(.post, "/v1/uploads?user=maria&name=\(name)", body: bad)
                #expect(answer.status == 422)
            }
            let named = try await daemon.client.ask(
                .put, "/people/maria/full_name.json", body: .bytes(Array(#""Maria\u001b Weber""#.utf8)))
            #expect(named.status == 200, "\(named)")
            try await eventually { try await lines(["ls"], in: storage).count == 2 }
            let listed = try await run(["inbox", "ls", "--storage", storage]).output
            #expect(listed.contains("  lake.jpg  Maria\\u{1B} Weber (maria)\n"), "\(listed)")
            #expect(listed.contains("  a\\u{1B}[2J\\nb.jpg  Maria") && !listed.contains("\u{1B}"), "\(listed)")
            #expect(listed.contains("    truncated/maria/upload-"), "\(listed)")
            #expect(try await daemon.stop() == 0)
            #expect(try await run(["inbox", "ls", "--storage", storage]).output.contains("  lake.jpg  maria\n"))

            let retried = try await run(["inbox", "retry", "lake.jpg", "--storage", storage])
            #expect(retried.output.hasPrefix("retried  lake.jpg (truncated/maria/upload-"), "\(retried)")
            #expect(scratch.exists("Storage/inbox/maria/lake.jpg"))
            // A name that no file in the inbox should have is not used.
            let all = try await run(["inbox", "retry", "--all", "--storage", storage])
            #expect(all.status == 0 && all.output.split(separator: "\n").count == 1, "\(all)")
            let names = try FileManager.default.contentsOfDirectory(atPath: storage + "/inbox/maria")
            #expect(Set(names.map { $0.hasPrefix("upload-") }) == [true, false] && names.count == 2, "\(names)")
        }
    }

    @Test("A photo that crashed its decoder is decoded again when it is retried or forgiven, also without a service")
    func poison() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let folder = "failed/decoder_crashed/maria"
            let photo = try Fixture.bytes("baseline-420.jpg")
            try scratch.write(photo, to: "Storage/\(folder)/a.jpg")
            let reason = #"{"code": "decoder_crashed", "message": "", "hint": "", "failed_at": 1, "user": "maria"}"#
            try scratch.write(reason, to: "Storage/\(folder)/a.jpg.reason.json")
            try scratch.write(Fixture.bytes("text.jpg"), to: "other.jpg")
            _ = try await lines(["retry", "decoder_crashed/maria/a.jpg"], in: storage)
            #expect(scratch.exists("Storage/inbox/maria/a.jpg"))
            let names = try FileManager.default.contentsOfDirectory(atPath: storage + "/forgiven")
            #expect(names.count == 1 && names[0].count == 64)
            let result = try await run(["inbox", "forgive", scratch.path + "/other.jpg", "--storage", storage])
            #expect(result.status == 0, "\(result)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: storage + "/forgiven").count == 2)
            let missing = try await run(["inbox", "forgive", scratch.path + "/none.jpg", "--storage", storage])
            #expect(missing.status == 1 && missing.errors.contains("none.jpg"))
        }
    }
}
