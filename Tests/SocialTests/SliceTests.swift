import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Changes of what a reader's devices keep")
struct SliceTests {
    @Test("Only the reader's own uploads are named")
    func uploads() async throws {
        try await NotificationStore.run { store in
            let reader = try #require(UserID("ann"))
            let start = try await store.tree.token
            let rows: [(id: String, owner: TreeValue?)] = [
                ("-P6xJd7DkF0an8Cy0qLa", "bob"), ("-P6xJd7DkF0an8Cy0qLb", "ann"), ("-P6xJd7DkF0an8Cy0qLc", nil),
            ]
            for row in rows {
                let id = try #require(PostID(row.id))
                try await store.tree.set(UploadNodes.upload(id), to: ["state": "draft"])
                try await store.tree.set(UploadNodes.upload(id) / "owner", to: row.owner)
            }
            let slice = ReaderSlice(of: reader, in: store.tree, clock: { [clock = store.clock] in clock.now })
            let change = try await slice.change(
                since: start, oldestAnnouncement: nil, ReaderSlice.Sight(FeedView(viewer: reader)), named: [])
            #expect(change.uploads.map(\.description) == ["-P6xJd7DkF0an8Cy0qLb"])
        }
    }
}
