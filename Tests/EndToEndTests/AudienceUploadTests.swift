import Client
import Foundation
import TestSupport
import Testing

@Suite("tintype upload --audience", .timeLimit(.minutes(20)))
struct AudienceUploadTests {
    @Test("C1: An audience gets each post once, and only from its posters")
    func uploads() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let storage = ["--storage", daemon.storage]
            let audience = #"{"name": "7b", "kind": "class", "members": {"maria": "owner"}}"#
            #expect(try await run(["api", "PUT", "/v1/audiences/c", audience] + storage).status == 0)
            let photo = [Fixture.path("rgb-8.png")]
            let options = ["--audience", "c", "--text", "x"] + storage
            for files in [[], photo, photo + [Fixture.path("exif-gps.jpg"), "--one-post"], photo] {
                let sent = try await run(["upload"] + files + ["--user", "maria"] + options)
                #expect(sent.status == 0, "\(sent)")
            }
            let posts = try await daemon.get("/v1/audiences/c/posts").json["posts"].array
            #expect(posts.count == 3, "the same photo is not posted twice: \(posts)")
            #expect(try await run(["post"] + storage).output.isEmpty)
            let refused = try await run(["upload", "--user", "eve"] + options)
            #expect(refused.status == 1 && refused.errors.contains("eve"), "\(refused)")
            try await daemon.stop()
        }
    }
}
