import API
import Cryptography
import Files
import Imaging
import Model
import NIOCore
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Keeping
@testable import Uploads

@Suite("Alternative texts of photos, from the upload to the post and later")
struct AltTests {
    private static let user = "maria"

    /// Acknowledges one upload of a photo for each of the alternative texts.
    private func accept(_ alts: [String], _ running: RunningPipeline) async throws -> PostID {
        let request = UploadRequest(owner: try #require(UserID(Self.user)), intake: .socket)
        let record = try await running.reserve(request)
        var session = running.pipeline.receiver.resume(record)
        for alt in alts {
            try await session.receive(try Fixture.bytes("size-97x61.jpg"), named: "a.jpg", alt: alt)
        }
        return try await session.accept(text: "").id
    }

    private func alts(_ id: PostID, _ running: RunningPipeline) async throws -> [String] {
        let post = try #require(try await running.storage.tree.get(PostNodes.post(id)))
        return try #require(PostPhotos.read(post)).map(\.alt)
    }

    @Test("The text is stored at posts/ID/photos/N/alt, also after a stop of the service, and re-thumbnailing keeps it")
    func fromUploadToPost() async throws {
        try await withScratch { scratch in
            let accepted = Shared<PostID?>(nil)
            try await withPipeline(in: scratch, runs: false) { running in
                let id = try await accept([" A jetty ", ""], running)
                accepted.change { $0 = id }
            }
            let id = try #require(accepted.value)
            try await withPipeline(in: scratch) { running in
                #expect(try await running.pipeline.store.end(of: id).state == .published)
                let photos = PostNodes.post(id) / "photos"
                #expect(try await running.storage.tree.get(photos / "0" / "alt") == "A jetty")
                #expect(try await running.storage.tree.get(photos / "1" / "alt") == nil)
                // A client of the database describes the second photo, and improves the text of the first.
                try await running.storage.tree.set(photos / "0" / "alt", to: "Two children on a jetty")
                try await running.storage.tree.set(photos / "1" / "alt", to: "The lake")
            }
            let recipes = [try Recipe(parsing: "thumb=50")]
            try await withPipeline(in: scratch, settings: { $0.recipes = recipes }) { running in
                let result = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
                #expect(result.switched == 1 && result.failed == 0)
                #expect(try await alts(id, running) == ["Two children on a jetty", "The lake"])
            }
        }
    }

    @Test(
        "A text that is too long, or has control characters, is refused with its upload",
        arguments: [String(repeating: "x", count: 1001), "a\u{7}b"])
    func refused(alt: String) async throws {
        try await withPipeline(runs: false) { running in
            let error = await #expect(throws: Failure.self) { try await accept(["", alt], running) }
            #expect(error?.code == .badText && error?.message.contains("alternative text") == true)
        }
        #expect(try PostText.requireAlt(String(repeating: "é", count: 1000)).count == 1000)
    }

    @Test("Records of earlier versions, without alternative texts, are read; current records are read back unchanged")
    func records() throws {
        let (id, owner) = (PushIDGenerator().next(), try #require(UserID(Self.user)))
        var record = UploadRecord(
            id: id, owner: owner, intake: .socket, state: .draft, text: "", clientReference: nil, source: nil,
            createdAt: 1)
        let rendered = PhotoRecord(width: 1, height: 1, placeholder: "", color: "", warnings: [], renditions: [:])
        for (number, alt) in ["", "A jetty"].enumerated() {
            record.photos[number] = UploadRecord.Photo(
                fileName: "original.jpg", originalName: "a.jpg", byteCount: 1, sha256: "00", rendered: rendered,
                alt: alt)
        }
        let value = try record.value()
        #expect(value["photos"]?["0"]?.object?.keys.contains("alt") == false)
        #expect(UploadRecord(id: id, value: value)?.photos == record.photos)
        #expect(record.photos[1]?.published?.alt == "A jetty")
        #expect(try PhotoRecord(rendered.value(owner: owner, post: id))?.alt.isEmpty == true)
    }

    @Test("Alternative texts change the fingerprint of a request; without them, it is that of earlier versions")
    func fingerprints() throws {
        let owner = try #require(UserID(Self.user))
        func fingerprint(_ photos: [(String, String)]) -> RequestFingerprint {
            RequestFingerprint(
                user: owner, text: "t", isDraft: false, photos: photos.map { .init(sha256: $0.0, alt: $0.1) })
        }
        #expect(fingerprint([("aa", ""), ("bb", "")]).hex == sha256(of: Array("maria\npost\naa bb\nt".utf8)))
        let all = [[("aa", ""), ("bb", "")], [("aa", "x"), ("bb", "")], [("aa", ""), ("bb", "x")], [("aa", "x bb")]]
        #expect(Set(all.map(fingerprint)).count == all.count)
    }
}
