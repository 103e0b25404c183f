import API
import Foundation
import Model
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("The input of a moderator that reads files")
struct ModerationPathTests {
    @Test(
        "A moderator that reads paths gets the path of a file, or bytes where the store has no files",
        arguments: [true, false])
    func paths(hasFiles: Bool) async throws {
        let seen = Shared<ModerationRequest?>(nil)
        let moderator = Moderator(photos: .paths) { json in
            let request = try ModerationRequest(json: Data(json))
            seen.change { $0 = request }
            return Array(#"{"decision":"pass"}"#.utf8)
        }
        try await withPipeline(blobs: hasFiles ? nil : MemoryBlobStore(), moderator: moderator) { running in
            let record = try await running.upload([("a.jpg", try Fixture.bytes("photo.jpg"))], by: "u")
            #expect(record.state == .published)
            let photo = try #require(seen.value?.photos.first)
            let post = try #require(try await running.storage.tree.get(PostNodes.post(record.id)))
            let full = try #require(PostPhotos.read(post)?.first?.renditions["full"])
            if hasFiles {
                #expect(photo.data == nil)
                let path = try #require(photo.path)
                #expect(path.hasPrefix("/") && path.hasSuffix("/blobs/u/\(record.id)/\(full.fileName)"))
                #expect(try Data(contentsOf: URL(filePath: path)).count == full.byteCount)
            } else {
                #expect(photo.path == nil)
                #expect(try #require(photo.data.flatMap { Data(base64Encoded: $0) }).count == full.byteCount)
            }
        }
    }
}
