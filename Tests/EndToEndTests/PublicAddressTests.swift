import Client
import Foundation
import TestSupport
import Testing

@Suite("public-url: the photos' addresses in posts, through changes of the setting", .timeLimit(.minutes(10)))
struct PublicAddressTests {
    private struct Post: Decodable {
        let text: String?
        let thumbUrl: String
        let photos: [Photo]

        struct Photo: Decodable { let renditions: [String: Rendition] }
        struct Rendition: Decodable { let url: String }

        var addresses: [String] { [thumbUrl] + photos.flatMap { $0.renditions.values.map(\.url) } }
    }

    private struct Page: Decodable { let posts: [Post] }

    private func configure(_ scratch: Scratch, publicURL: String?) throws {
        let address = publicURL.map { #", "public-url": "\#($0)""# } ?? ""
        try scratch.write(#"{"listen": "127.0.0.1:0"\#(address)}"#, to: "Storage/tintype.json")
    }

    private func posts(_ daemon: Daemon) async throws -> [Post] {
        try await daemon.get("/v1/posts").json(Page.self).posts
    }

    /// Posts a photo by HTTP, and another one by the inbox.
    private func post(_ daemon: Daemon, in scratch: Scratch) async throws {
        let count = try await posts(daemon).count
        _ = try await daemon.upload(try Fixture.bytes("baseline-420.jpg"), by: "maria")
        try scratch.write(try Fixture.bytes("exif-gps.jpg"), to: "Storage/inbox/maria/\(UUID()).jpg")
        try await eventually { try await posts(daemon).count == count + 2 }
    }

    /// Expects all posts to name their photos with the origin before the path, and the photos to exist.
    private func expectAll(_ daemon: Daemon, at origin: String, count: Int) async throws {
        let posts = try await posts(daemon)
        #expect(posts.count == count)
        for address in posts.flatMap(\.addresses) {
            #expect(address.hasPrefix(origin + (origin.isEmpty ? "/media/" : "/v0/b/tintype.appspot.com/o/")))
            #expect(try await daemon.get(String(address.dropFirst(origin.count))).status == 200, "\(address)")
        }
    }

    @Test("S15: Posts by HTTP and by the inbox have the current address; rethumb changes it in earlier ones")
    func life() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            try scratch.write("", to: "Storage/inbox/maria/.keep")
            try configure(scratch, publicURL: nil)
            var daemon = try await Daemon(storage: storage)
            try await post(daemon, in: scratch)
            try await expectAll(daemon, at: "", count: 2)
            #expect(try await daemon.stop() == 0)

            // Without a service, the file decides, whatever is wrong with settings that the command does not need.
            try configure(scratch, publicURL: "https://photos.example.org/")
            let dry = try await run(
                ["rethumb", "plan", "--storage", storage], environment: ["TINTYPE_LISTEN": "nowhere"])
            #expect(dry.status == 0 && dry.output.contains("2 of 2 posts would be switched"), "\(dry)")
            let done = try await run(["rethumb", "--storage", storage])
            #expect(done.status == 0 && done.output.contains("2 of 2 posts switched"), "\(done)")
            daemon = try await Daemon(storage: storage)
            try await post(daemon, in: scratch)
            try await expectAll(daemon, at: "https://photos.example.org", count: 4)
            #expect(try await daemon.stop() == 0)

            // With a service, its settings at the start decide.
            try configure(scratch, publicURL: "https://pictures.example.org:8443")
            daemon = try await Daemon(storage: storage)
            let rest = try await run(["rethumb", "--storage", storage])
            #expect(rest.status == 0 && rest.output.contains("4 of 4 posts switched"), "\(rest)")
            try await expectAll(daemon, at: "https://pictures.example.org:8443", count: 4)
            let again = try await run(["rethumb", "--storage", storage])
            #expect(again.output.contains("0 of 4 posts switched"), "\(again)")
            #expect(try await daemon.stop() == 0)
            _ = try await Invariants(of: storage)
        }
    }

    @Test(
        "A setting that is not an origin is refused, and the error contains the reason",
        arguments: [
            ("https://photos.example.org/app", "an address without a path"),
            ("photos.example.org", "an address without a path"), ("https://photos.example.org?a=b", "such as https://"),
            ("ftp://photos.example.org", "such as https://photos.example.org"),
        ])
    func refused(value: String, words: String) async throws {
        try await withScratch { scratch in
            let answer = try await run([
                "serve", "--storage", scratch.path + "/Storage", "--listen", "127.0.0.1:0", "--public-url", value,
            ])
            #expect(answer.status == 2 && answer.errors.contains(words), "\(answer)")
            #expect(answer.errors.contains("public-url") && answer.errors.contains(value), "\(answer)")
        }
    }
}
