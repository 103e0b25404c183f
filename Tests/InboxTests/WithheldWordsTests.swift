import API
import Files
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@testable import Inbox

@Suite("C14: Failed and late texts are never posted beyond their audiences", .timeLimit(.minutes(20)))
struct WithheldWordsTests {
    private func withClass(_ body: @Sendable (RunningPipeline) async throws -> Void) async throws {
        try await withInbox { running in
            try await running.storage.tree.set(
                "audiences/c", to: ["name": "7b", "members": ["maria": "poster", "zoe": "owner"]])
            try await body(running)
        }
    }

    @Test("A failed upload is put aside with its audiences, and a retry posts it for these alone", arguments: [1, 2])
    func retried(count: Int) async throws {
        try await withClass { running in
            let tree = running.storage.tree
            var request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
            request.text = "Tomorrow"
            request.audiences = [try #require(AudienceID("c"))]
            let record = try await running.reserve(request)
            var session = running.pipeline.receiver.resume(record)
            for number in 0..<count {
                try await session.receive(
                    try Fixture.bytes("rgb-8.png"), named: "a\(number).png", alt: "Photo \(number)")
            }
            try await tree.set("audiences/c/members/maria", to: nil)
            _ = try await session.accept(text: request.text)
            let failed = try await running.pipeline.store.end(of: record.id)
            #expect(failed.state == .failed && failed.error?.code == .notMember)
            let folder = "Storage/failed/not_member/maria"
            let stem = "upload\(record.id)"
            let document = count == 1 ? "\(stem).original.png.json" : "\(stem).post/post.json"
            let again = try FailedFiles(storage: running.scratch.path + "/Storage")
            // Listed items are complete.
            try await eventually { try again.items().count == 1 }
            let parts = folder.split(separator: "/").map(String.init) + (count == 1 ? [] : ["\(stem).post"])
            let names = try running.scratch.directory().folder(below: parts).names()
            #expect(names.filter { $0.hasSuffix(".png") }.count == count, "\(names)")
            let sidecar = try Sidecar.read(Array(running.scratch.read("\(folder)/\(document)").utf8), named: document)
            #expect(sidecar.audiences == request.audiences && sidecar.text == "Tomorrow")
            #expect(sidecar.alts == (0..<count).map { "Photo \($0)" })
            // Still not a member: it fails again. Its reason is written first, and a retry before the photos arrive is
            // refused.
            for item in try again.items() { try again.retry(item) }
            try await eventually { try again.items().count == 1 }
            try await tree.set("audiences/c/members/maria", to: "poster")
            try await eventually {
                do throws(FileError) {
                    for item in try again.items() { try again.retry(item) }
                    return true
                } catch {
                    guard error.code == .notFound else { throw error }
                    return false
                }
            }
            try await eventually { try await tree.keys(of: "stories/c").count == 1 }
            #expect(try await tree.get(PostNodes.post()) == nil)
        }
    }

    @Test("A document with audiences that arrives after its photo is refused, and its reason names the post")
    func lateAudiences() async throws {
        try await withClass { running in
            try running.drop("baseline-420.jpg", as: "maria/a.jpg")
            let receipt = try await running.document("done/maria/a.jpg.receipt.json")
            try running.drop(Array(#"{"text": "x", "audiences": "c"}"#.utf8), as: "maria/a.jpg.json")
            let reason = try await running.document("failed/bad_sidecar/maria/a.jpg.json.reason.json")
            let message = try #require(reason["message"])
            let post = try #require(receipt["post"])
            #expect(message.contains("audiences") && message.contains(post), "\(message)")
            #expect(try await running.posts().first?["text"] == nil)
        }
    }

    @Test("Late texts of a user without consent to content are refused")
    func notConsented() async throws {
        try await withClass { running in
            try running.drop("baseline-420.jpg", as: "maria/a.jpg")
            _ = try await running.document("done/maria/a.jpg.receipt.json")
            try await running.storage.tree.set("privacy/maria/content", to: false)
            try running.drop(Array(#"{"text": "x"}"#.utf8), as: "maria/a.jpg.json")
            _ = try await running.document("failed/not_consented/maria/a.jpg.json.reason.json")
            #expect(try await running.posts().first?["text"] == nil)
        }
    }
}
