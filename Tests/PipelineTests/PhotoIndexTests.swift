import API
import Access
import Keeping
import Model
import Service
import Social
import TestSupport
import Testing
import Tree

@testable import Uploads

@Suite("The index of photos in audits", .timeLimit(.minutes(20)))
struct PhotoIndexTests {
    @Test("A photo whose entry was lost is posted again, until a repair restores the entry")
    func repaired() async throws {
        try await withPipeline { running in
            let store = try await StoreCheckStore(running)
            let entry = try await store.indexEntry(of: store.post)
            let photo = (name: "a.jpg", bytes: try Fixture.bytes("baseline-420.jpg"))
            try await store.write([entry: nil])
            #expect(try await store.audit(.repair, changes: true).last.mended == 1)
            #expect(try await store.tree.get(entry) == .string(store.post.string))
            let again = try await running.upload([photo], by: "maria", duplicates: .link)
            #expect(again.state == .duplicate && again.duplicateOf == store.post)
        }
    }

    @Test("A post of the same photo as an earlier one needs no entry, also when the earlier one is deleted")
    func repeated() async throws {
        try await withPipeline(settings: { $0.gracePeriod = .zero }) { running in
            let store = try await StoreCheckStore(running)
            let photo = (name: "a.jpg", bytes: try Fixture.bytes("baseline-420.jpg"))
            let again = try await running.upload([photo], by: "maria")
            #expect(again.state == .published, "uploads by HTTP are not duplicates unless they request it")
            #expect(try await store.audit(.check).findings.isEmpty)
            _ = try await running.pipeline.publisher.deletePost(store.post, by: .admin)
            try await eventually { try await store.tree.get(WorkNodes.followUpTask()) == nil }
            #expect(try await store.audit(.check).findings.isEmpty, "the entry names a post that is deleted")
            running.clock.advance()
            try await running.pipeline.janitor.sweep()
            #expect(try await store.record(store.post).state == .deleted)
            #expect(try await store.audit(.check).findings.isEmpty, "the entry is deleted")
        }
    }
}
