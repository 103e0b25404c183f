import Access
import Client
import Cryptography
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("moderation-command, moderation-webhook and tintype post moderate", .timeLimit(.minutes(20)))
struct ModerationCommandTests {
    /// Creates a program, and returns its path.
    private func program(_ script: String, in scratch: Scratch) throws -> String {
        try scratch.write("#!/bin/sh\ncd '\(scratch.path)'\n\(script)\n", to: "moderate")
        let path = scratch.path + "/moderate"
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return path
    }

    /// Sends a text, or a photo, without waiting for the result.
    private func send(_ query: String, photo: Bool, to daemon: Daemon) async throws -> JSON {
        let bytes = photo ? try Fixture.bytes("baseline-420.jpg") : []
        let prefer = try #require(HTTPField.Name("Prefer"))
        return try await daemon.client.ask(
            photo ? .put : .post, "/v1/uploads?user=maria&\(query)", headers: [prefer: "respond-async"],
            body: .bytes(bytes)
        ).json
    }

    private func upload(_ id: String, _ daemon: Daemon) async throws -> JSON {
        try await daemon.client.ask(.get, "/v1/uploads/\(id)").json
    }

    @Test(
        "A program sees the file, and blurs; its failures delay the upload; a kill before the commit repeats it")
    func command() async throws {
        try await withScratch { scratch in
            let path = try program(
                """
                cat > question; echo >> asked
                [ -e open ] || { echo nonsense; exit 0; }
                FILE=$(sed 's/.*"path":"\\([^"]*\\)".*/\\1/; s/\\\\//g' question)
                [ -s "$FILE" ] || exit 3
                echo '{"decision":"blur","reason":"a test"}'
                """, in: scratch)
            let options = ["--moderation-command", path]
            let daemon = try await Daemon(storage: scratch.path + "/Storage", arguments: options)
            let id = try #require(try await send("", photo: true, to: daemon)["upload_id"].string)
            try await eventually { try await upload(id, daemon)["error"]["code"].string == "moderation_unavailable" }
            #expect(try await upload(id, daemon)["state"].string == "ingested")
            #expect(try await daemon.client.ask(.get, "/v1/posts/\(id)").status == 404)
            try await daemon.killHard()

            try scratch.write("", to: "open")
            let crashed = try await run(
                ["serve", "--storage", scratch.path + "/Storage"] + options,
                environment: ["TINTYPE_FAILPOINTS": "before-step:ingested-published=crash@1"])
            #expect(crashed.status != 0)
            let asked = try scratch.read("asked").count
            #expect(asked >= 2)

            let again = try await Daemon(storage: scratch.path + "/Storage", arguments: options)
            try await eventually { try await upload(id, again)["state"].string == "published" }
            #expect(try scratch.read("asked").count > asked)
            let post = try await again.client.ask(.get, "/v1/posts/\(id)").json
            #expect(post["photos"][0]["blurred"].bool == true)
            let storage = ["--storage", again.storage]
            let passed = try await run(["post", "moderate", id, "--pass", "--json"] + storage)
            #expect(passed.status == 0 && passed.output.contains(#""photos":["pass"]"#), "\(passed)")
            let blurred = try await run(["post", "moderate", id, "--blur", "--photo", "0"] + storage)
            #expect(blurred.status == 0 && blurred.output == "blurred  \(id)\n", "\(blurred)")
            let refused = try await run(["post", "moderate", id, "--refuse"] + storage)
            #expect(refused.status == 0 && refused.output == "refused  \(id)\n", "\(refused)")
            #expect(try await run(["post", "moderate", id, "--pass"] + storage).status == 1)
            #expect(try await run(["post", "moderate", id] + storage).status == 2)
            #expect(try await run(["post", "moderate", id, "--pass", "--blur"] + storage).status == 2)
            #expect(try await again.stop() == 0)
            #expect(try await run(["post", "moderate", id, "--pass"] + storage).status == 75)
        }
    }

    @Test("A webhook gets a signed request with the bytes; a refused upload fails with the given reason")
    func webhook() async throws {
        try await withScratch { scratch in
            try await LoopbackServer.run(behaviour: { _ in .init(500) }) { server in
                let secret = "0123456789abcdef0123456789abcdef"
                try scratch.write(secret, to: "secret")
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: scratch.path + "/secret")
                let daemon = try await Daemon(
                    storage: scratch.path + "/Storage",
                    arguments: [
                        "--moderation-webhook", server.origin + "/look", "--moderation-webhook-secret",
                        scratch.path + "/secret",
                    ])
                let id = try #require(try await send("text=hello", photo: true, to: daemon)["upload_id"].string)
                try await eventually {
                    try await upload(id, daemon)["error"]["code"].string == "moderation_unavailable"
                }
                // A truncated or too long response is not a decision either.
                server.behave { _ in .init(200, #"{"decision":"pass"}"# + String(repeating: " ", count: 100_000)) }
                let asked = server.requests.count
                try await eventually { server.requests.count > asked }
                server.behave { _ in .init(200, #"{"decision":"refuse","reason":"not\nhere"}"#) }
                try await eventually { try await upload(id, daemon)["state"].string == "failed" }
                let failed = try await upload(id, daemon)
                #expect(failed["error"]["code"].string == "moderation_refused")
                #expect(failed["error"]["message"].string?.contains("not") == true)
                let request = try #require(server.requests.last)
                let question = try JSONDecoder().decode(JSON.self, from: Data(request.body))
                #expect(question["post"].string == id && question["uid"].string == "maria")
                #expect(question["text"].string == "hello" && question["photos"][0]["type"].string == "image/jpeg")
                #expect((question["photos"][0]["data"].string ?? "").hasPrefix("/9j/"))
                let parts = try #require(
                    request.headers["tintype-signature"]?.wholeMatch(of: /t=(\d+),v1=([0-9a-f]{64})/))
                let mac = Digest.hmacSHA256(Array("\(parts.1).".utf8) + request.body, key: Array(secret.utf8))
                #expect(mac.map { String(format: "%02x", $0) }.joined() == parts.2)
                #expect(try await daemon.stop() == 0)
            }
        }
    }
}
