import API
import Files
import Model
import Service
import Store
import TestSupport
import Testing
import Uploads

@Suite("Operations of all intakes for their uploads: each may be repeated, and may be called for unknown uploads")
struct IntakeHandlerTests {
    private func withIntake(
        _ intake: Intake, _ body: @Sendable (RunningPipeline, any IntakeHandler, UploadRecord) async throws -> Void
    ) async throws {
        try await withPipeline(runs: false) { running in
            let request = UploadRequest(owner: try #require(UserID("maria")), intake: intake)
            try await body(running, running.pipeline.store.intakes[intake], try await running.reserve(request))
        }
    }

    @Test("An upload that expired leaves no file, however often the clean-up runs", arguments: Intake.allCases)
    func expired(intake: Intake) async throws {
        try await withIntake(intake) { running, handler, record in
            var record = record
            try await running.storage.blobs.put([(record.blobName("original.jpg"), [1, 2, 3])])
            record.state = .expired
            for _ in 0..<2 {
                #expect(try await handler.cleanUp(after: record))
                let left = try await running.storage.blobs.fileNames(userID: "maria", postID: "\(record.id)")
                #expect(left == [])
            }
        }
    }

    @Test("No file waits for an upload without files", arguments: Intake.allCases)
    func holdsNothing(intake: Intake) async throws {
        try await withIntake(intake) { _, handler, record in
            let holds = try await handler.holdsFiles(of: record.id)
            #expect(!holds)
            let backlog = await handler.backlog()
            #expect(backlog ?? 0 == 0)
        }
    }

    @Test("A post is forgotten, and its leftover files swept, also when that is repeated", arguments: Intake.allCases)
    func repeated(intake: Intake) async throws {
        try await withIntake(intake) { running, handler, record in
            let blob = try record.blobName("original.jpg")
            try await running.storage.blobs.put([(blob, [1, 2, 3])])
            for _ in 0..<2 {
                try await handler.forgetPost(of: record)
                try await handler.sweep()
                try await handler.sweepArchives()
            }
            #expect(try await running.storage.blobs.open(blob).byteCount() == 3, "files of posts are not the intake's")
        }
    }
}
