import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// `Fixtures/store-0.1-all` has a record of almost every kind, as the version of commit 035c0d8 wrote them: posts for
/// all and for an audience, likes, comments, follows, flags, announcements, accounts, an admin key, a quota, objects of
/// the bucket, a half-received upload by tus, and two runs of re-thumbnailing.
@Suite("A store of an earlier version with records of every kind", .timeLimit(.minutes(20)))
struct WholeStoreTests {
    /// Drafts and unfinished uploads are older than their default lifetime.
    private static let ageless = ["--draft-lifetime", "36500d"]

    @Test("The store's records are served as they were, and its uploads and runs continue")
    func served() async throws {
        try await withScratch { scratch in
            let storage = try copy(in: scratch)
            let daemon = try await Daemon(storage: storage, arguments: Self.ageless)
            for (path, words) in Self.answers {
                let answer = try await daemon.get(path)
                #expect(answer.status == 200, "\(path): \(answer)")
                for word in words { #expect(answer.text.contains(word), "\(path): \(answer.text)") }
            }
            let upload = "/v1/uploads/-P7aMMOhV9qelgGngxvE"
            let tus = HTTPFields([HTTPField(name: try name("Tus-Resumable"), value: "1.0.0")])
            let head = try await daemon.client.ask(.head, upload, headers: tus)
            #expect(head.headers[try name("Upload-Offset")] == "1590", "\(head)")
            let run = try await daemon.client.ask(.post, "/v1/jobs/-P7aMTO3Y1vbTsqrTju6/switch")
            #expect((200...202).contains(run.status), "\(run)")
            try await eventually {
                try await daemon.get("/v1/jobs/-P7aMTO3Y1vbTsqrTju6").text.contains(#""state":"finished""#)
            }
            #expect(try await daemon.stop() == 0)
            try await verify(storage)
        }
    }

    private static let answers: [(path: String, words: [String])] = [
        ("/v1/posts", ["At the lake #Summer", #""full_name":"Maria Müller""#, #""likes":2"#, #""comments":1"#]),
        ("/v1/people/maria/feed", ["At the lake"]),
        (
            "/v1/people/maria/notifications",
            ["You are in group B", "Dinner is at seven", #""kind":"comment""#, #""kind":"like""#, #""kind":"follow""#]
        ),
        ("/v1/audiences/class-7b", [#""members":{"ann":"reader","maria":"owner"}"#]),
        ("/v1/posts/-P7aMM2IPwTafAe9oQjZ/comments", ["What a lake! #Summer"]),
        ("/v1/posts/-P7aMM2IPwTafAe9oQjZ/likes", [#""uid":"ann""#, #""uid":"bob""#]),
        ("/v0/b/tintype.appspot.com/o", [#""name":"maria/full""#, #""name":"maria/notes""#]),
        ("/v0/b/tintype.appspot.com/o/maria%2Ffull", [#""size":"3181""#]),
        ("/v1/jobs", [#""state":"prepared""#, #""state":"finished""#]),
        ("/v1/keys", [#""name":"deploy""#]),
        ("/v1/flags", [#""flags":2"#]),
        ("/stats/people/maria.json", [#""followers":2"#, #""following":2"#]),
        ("/people/maria/following.json", ["ann", "bob"]),
        ("/hashtags/summer.json", ["-P7aMM2IPwTafAe9oQjZ"]),
    ]

    @Test("The command line finds the store's accounts, keys and quotas")
    func commands() async throws {
        try await withScratch { scratch in
            let storage = try copy(in: scratch)
            let daemon = try await Daemon(storage: storage, arguments: Self.ageless)
            for (command, words) in [
                (["user", "ls"], ["eve@example.com", "maria@example.com"]), (["key", "ls"], ["deploy"]),
                (["quota", "show", "bob"], ["of 4.7 GiB"]), (["post"], ["shaken", "At the lake"]),
            ] {
                let said = try await run(command + ["--storage", storage])
                #expect(said.status == 0, "\(command): \(said)")
                for word in words { #expect(said.output.contains(word), "\(command): \(said.output)") }
            }
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("The store is re-thumbnailed, backed up and restored, and no byte is missing")
    func keptOn() async throws {
        try await withScratch { scratch in
            let storage = try copy(in: scratch)
            let again = try await run(["rethumb", "run", "--storage", storage, "--with", "thumb=90,cover,q70"])
            #expect(again.status == 0, "\(again)")
            try await verify(storage)
            let backups = scratch.path + "/backups"
            #expect(try await run(["backup", backups, "--storage", storage]).status == 0)
            let restored = scratch.path + "/restored"
            #expect(try await run(["backup", "restore", backups, "--storage", restored]).status == 0)
            try await verify(restored)
            let daemon = try await Daemon(storage: restored, arguments: Self.ageless)
            #expect(try await daemon.get("/v1/posts").text.contains("At the lake #Summer"))
            #expect(try await daemon.stop() == 0)
        }
    }

    private func copy(in scratch: Scratch) throws -> String {
        let storage = scratch.path + "/Storage"
        try FileManager.default.copyItem(atPath: Fixture.path("store-0.1-all"), toPath: storage)
        return storage
    }

    /// Reads every byte of a store that no service has open.
    private func verify(_ storage: String) async throws {
        let verified = try await run(["store", "verify", "--storage", storage])
        #expect(verified.status == 0 && verified.output.contains("all is well"), "\(verified)")
    }

    private func name(_ text: String) throws -> HTTPField.Name { try #require(HTTPField.Name(text)) }
}
