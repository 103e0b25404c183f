import Access
import Client
import Cryptography
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tintype outbox, and the receivers of notifications", .timeLimit(.minutes(20)))
struct OutboxCommandTests {
    /// Writes a like of Bob's for a post of Ann's, as a client of the database does.
    private func like(_ daemon: Daemon) async throws {
        for (path, body) in [
            ("/posts/p.json", #"{"author":{"uid":"ann"},"text":"x","timestamp":1}"#), ("/likes/p/bob.json", "1"),
        ] {
            #expect(try await daemon.client.ask(.put, path, body: .bytes(Array(body.utf8))).status == 200)
        }
    }

    @Test("31, 32: A program gets JSON on its input; refused deliveries wait, over a restart, until a retry")
    func command() async throws {
        try await withScratch { scratch in
            let program = scratch.path + "/notify"
            try scratch.write(
                "#!/bin/sh\ncd '\(scratch.path)'; [ -e open ] || exit 7; cat >> got; echo >> got\n", to: "notify")
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
            let options = ["--notification-command", program]
            let daemon = try await Daemon(storage: scratch.path + "/Storage", arguments: options)
            let storage = ["--storage", daemon.storage]
            try await like(daemon)
            try await eventually {
                try await run(["outbox", "ls", "--waiting"] + storage).output.contains("ended with status 7")
            }
            let line = try await run(["outbox", "ls", "--waiting", "--json"] + storage).output
            let entry = try JSONDecoder().decode(JSON.self, from: Data(line.utf8))
            #expect(entry["to"].string == "ann" && entry["dead"].bool == false && (entry["attempts"].int ?? 0) > 0)
            let dead = try await run(["outbox", "ls"] + storage)
            #expect(
                dead.status == 0 && dead.output.isEmpty && dead.errors.contains("no deliveries were given up"),
                "\(dead)")
            try await daemon.killHard()

            try scratch.write("", to: "open")
            let again = try await Daemon(storage: scratch.path + "/Storage", arguments: options)
            let id = entry["id"].string ?? ""
            let retried = try await run(["outbox", "retry", id, "none"] + storage)
            // It may have been delivered already.
            #expect([1, 3].contains(retried.status) && retried.errors.contains("does not exist"), "\(retried)")
            try await eventually { try scratch.exists("got") && scratch.read("got").hasSuffix("\n") }
            let got = try JSONDecoder().decode(JSON.self, from: Data(try scratch.read("got").utf8))
            #expect(got["id"].string == id && got["to"].string == "ann" && got["kind"].string == "like")
            #expect(got["actor"]["uid"].string == "bob" && got["post"].string == "p")
            try await eventually { try await run(["outbox", "ls", "--waiting"] + storage).output.isEmpty }
            #expect(try await again.stop() == 0)
        }
    }

    @Test("31: A webhook gets each delivery as a signed request; a refused one is repeated under the same id")
    func webhook() async throws {
        try await withScratch { scratch in
            try await LoopbackServer.run(behaviour: { _ in .init(503) }) { server in
                let secret = "0123456789abcdef0123456789abcdef"
                try scratch.write(secret, to: "secret")
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: scratch.path + "/secret")
                let daemon = try await Daemon(
                    storage: scratch.path + "/Storage",
                    arguments: [
                        "--notification-webhook", server.origin + "/hook", "--notification-webhook-secret",
                        scratch.path + "/secret",
                    ])
                try await like(daemon)
                try await eventually { !server.requests.isEmpty }
                server.behave { _ in .init(200) }
                let storage = ["--storage", daemon.storage]
                try await eventually { try await run(["outbox", "ls", "--waiting"] + storage).output.isEmpty }
                #expect(server.requests.count >= 2)
                for request in server.requests {
                    #expect(request.path == "/hook" && request.body == server.requests.first?.body)
                    let parts = try #require(
                        request.headers["tintype-signature"]?.wholeMatch(of: /t=(\d+),v1=([0-9a-f]{64})/))
                    let mac = Digest.hmacSHA256(Array("\(parts.1).".utf8) + request.body, key: Array(secret.utf8))
                    #expect(mac.map { String(format: "%02x", $0) }.joined() == parts.2)
                }
                #expect(try await daemon.stop() == 0)
            }
        }
    }

    @Test("39: Wrong usage is 2, a refusal 1, and no service 75")
    func failures() async throws {
        try await withScratch { scratch in
            let storage = ["--storage", scratch.path + "/Storage"]
            for (arguments, status) in [
                (["outbox", "retry"], 2), (["outbox", "retry", "x", "--all"], 2),
                (["outbox", "ls", "--limit", "0"], 2),
                (["outbox", "ls"], 75), (["outbox", "retry", "x"], 75),
            ] {
                let result = try await run(arguments + storage)
                #expect(result.status == Int32(status), "\(arguments): \(result)")
            }
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let none = try await run(["outbox", "retry", "x"] + storage)
            #expect(none.status == 1 && none.errors.contains("does not exist"), "\(none)")
            let all = try await run(["outbox", "retry", "--all"] + storage)
            #expect(all.status == 0 && all.errors.contains("no deliveries were given up"), "\(all)")
            #expect(try await daemon.stop() == 0)
        }
    }
}
