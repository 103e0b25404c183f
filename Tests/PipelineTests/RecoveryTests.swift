import API
import Files
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("P23, B30: acknowledged uploads are published after a restart; others are deleted")
struct RecoveryTests {
    @Test func anIngestedUploadIsPublishedByTheNextRun() async throws {
        try await withScratch { scratch in
            // No worker runs yet: simulates a kill before the first worker woke up.
            let accepted = Shared<PostID?>(nil)
            try await withPipeline(in: scratch, runs: false) { running in
                let id = try await running.accept("baseline-420.jpg", by: "u")
                accepted.change { $0 = id }
            }
            let id = try #require(accepted.value)
            try await withPipeline(in: scratch) { running in
                let record = try await running.pipeline.store.end(of: id)
                #expect(record.state == .published)
                #expect(try await running.storage.tree.get(PostNodes.post(id)) != nil)
                #expect(try await running.storage.tree.get(UploadNodes.queued()) == nil)
            }
        }
    }

    @Test("Parts that were being received are swept at the start")
    func leftovers() async throws {
        try await withScratch { scratch in
            try scratch.write("half", to: "Storage/incoming/-Nabc.0.part")
            try await withPipeline(in: scratch) { running in
                try await eventually { try running.storage.incoming.names().isEmpty }
            }
        }
    }

    @Test("P5: a reservation that is left alone expires, and its reference is free again")
    func expiry() async throws {
        try await withPipeline(runs: false, settings: { $0.draftLifetime = .zero }) { running in
            var request = UploadRequest(owner: try #require(UserID("u")), intake: .socket)
            request.clientReference = "my/key.1 [%]"
            guard case .new(let first) = try await running.pipeline.store.reserve(request),
                case .new(let again) = try await running.pipeline.store.reserve(request)
            else {
                Issue.record("a new request takes over a reservation without bytes")
                return
            }
            #expect(first.id == again.id)
            running.clock.advance()
            try await running.pipeline.janitor.sweep()
            #expect(try await running.pipeline.store.record(of: first.id)?.state == .expired)
            let second = try await running.reserve(request)
            #expect(second.id != first.id)
            await #expect(throws: Failure.self) {
                try await running.pipeline.store.accept(first.id, photos: [], text: "too late")
            }
        }
    }

    @Test("Two pipelines on one Storage: the second is refused, and its error names the first")
    func oneAtATime() async throws {
        try await withPipeline { running in
            let error = await #expect(throws: FileError.self) {
                try await StorageFolder.open(path: running.storage.path)
            }
            #expect(error?.code == .locked)
        }
    }

    @Test("K16: an obstacle in Storage is named before an address is bound")
    func selfCheck() async throws {
        try await withScratch { scratch in
            try scratch.write("a file", to: "Storage/inbox")
            let error = await #expect(throws: FileError.self) {
                try await StorageFolder.open(path: scratch.path + "/Storage")
            }
            #expect(error?.message.contains("inbox") == true)
        }
    }
}
