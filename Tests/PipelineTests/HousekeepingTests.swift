import API
import Files
import Foundation
import Inbox
import Keeping
import Logging
import Model
import ServiceLifecycle
import Store
import Synchronization
import TestSupport
import Testing
import Tree

@testable import Service
@testable import Uploads

@Suite("Leftover files are deleted while the service runs", .timeLimit(.minutes(20)))
struct HousekeepingTests {
    @Test("An abandoned part is deleted; a part that is being written is not")
    func parts() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            let living = try StagedFile(in: folder, name: "living.part")
            for name in ["dead.part", ".123.part", "other"] { try scratch.write("x", to: name) }
            #expect(try StagedFile.removeAbandoned(in: folder) == 0, "they are new")
            #expect(try StagedFile.removeAbandoned(in: folder, olderThan: .zero) == 2)
            #expect(try folder.names() == ["living.part", "other"])
            _ = try living.finish()
            try living.publish(as: "whole", in: folder)
        }
    }

    @Test(
        "An abandoned claim is put aside with its contents; an empty one is deleted, and a live one stays"
    )
    func claims() async throws {
        try await withPipeline(runs: false) { running in
            let pipeline = running.pipeline
            let owner = try #require(UserID("u"))
            let living = try await running.reserve(UploadRequest(owner: owner, intake: .inbox))
            let ended = try await running.reserve(UploadRequest(owner: owner, intake: .inbox))
            try await pipeline.store.fail(ended.id, from: .reserved, with: Failure(.emptyFile, "empty"))
            let (unknown, empty) = (pipeline.storage.ids.next(), pipeline.storage.ids.next())
            for id in [living.id, ended.id, unknown] {
                try running.scratch.write("bytes of \(id)", to: "Storage/incoming/\(id)/a.jpg")
            }
            _ = try running.storage.incoming.folder(empty.description, create: true)
            try await pipeline.store.intakes.inbox.sweep()
            #expect(
                try running.storage.incoming.names() == [living.id, ended.id].map(\.description).sorted(), "in work")
            try await pipeline.store.finishCleanUp(ended.id)
            try await pipeline.store.intakes.inbox.sweep()
            #expect(try running.storage.incoming.names() == [living.id.description])
            let failed = "Storage/failed/left_over"
            #expect(try running.scratch.read("\(failed)/u/\(ended.id)/a.jpg") == "bytes of \(ended.id)")
            #expect(try running.scratch.read("\(failed)/no_user/\(unknown)/a.jpg") == "bytes of \(unknown)")
            #expect(try running.scratch.read("\(failed)/no_user/\(unknown).reason.json").contains("does not exist"))
        }
    }

    @Test("An idle reservation of the inbox expires, unless its file was claimed")
    func reservations() async throws {
        try await withPipeline(runs: false, settings: { $0.draftLifetime = .zero }) { running in
            let pipeline = running.pipeline
            let owner = try #require(UserID("u"))
            let idle = try await running.reserve(UploadRequest(owner: owner, intake: .inbox))
            let claimed = try await running.reserve(UploadRequest(owner: owner, intake: .inbox))
            try running.scratch.write("x", to: "Storage/incoming/\(claimed.id)/a.jpg")
            running.clock.advance()
            try await pipeline.janitor.sweep()
            #expect(try await pipeline.store.record(of: idle.id)?.state == .expired)
            #expect(try await pipeline.store.record(of: claimed.id)?.state == .reserved)
        }
    }

    @Test("Uploads that ended without a post are forgotten after a month, with their keys; published uploads are not")
    func records() async throws {
        let bytes = try Fixture.bytes("size-97x61.jpg")
        try await withScratch { scratch in
            let ids = Shared<[PostID]>([])
            try await withPipeline(in: scratch) { running in
                let published = try await running.upload([("a.jpg", bytes)], by: "u", reference: "published")
                let failed = try await running.upload(
                    [("b.jpg", Array(bytes.prefix(300)))], by: "u", reference: "failed")
                #expect(published.state == .published && failed.state == .failed)
                try await eventually { try await running.storage.tree.get(UploadNodes.queued()) == nil }
                try await running.pipeline.janitor.sweep()
                #expect(try await running.pipeline.store.record(of: failed.id) != nil, "its month has not passed")
                ids.change { $0 = [published.id, failed.id] }
            }
            try await withPipeline(in: scratch, runs: false, settings: { $0.recordLifetime = .zero }) { running in
                running.clock.advance()
                try await running.pipeline.janitor.sweep()
                #expect(try await running.pipeline.store.record(of: ids.value[0]) != nil)
                #expect(try await running.pipeline.store.record(of: ids.value[1]) == nil)
                #expect(try await running.storage.tree.get(UploadNodes.ended()) == nil)
                var request = UploadRequest(owner: try #require(UserID("u")), intake: .socket)
                request.clientReference = "failed"
                guard case .new = try await running.pipeline.store.reserve(request) else {
                    Issue.record("the key is still taken")
                    return
                }
                request.clientReference = "published"
                guard case .known = try await running.pipeline.store.reserve(request) else {
                    Issue.record("the key of a published upload is valid as long as its record exists")
                    return
                }
            }
        }
    }

    @Test("A stop interrupts a sweep, however long it would take, and the next one continues")
    func stop() async throws {
        try await withScratch { scratch in
            let storage = try await StorageFolder.open(path: scratch.path + "/Storage")
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let intake = EndlessIntake(storage)
            let service = Pipeline(
                storage: storage, settings: PipelineSettings(workers: 1), logger: logger,
                intakes: IntakeHandlers(inbox: intake, socket: intake, putAside: FailedFilesOfService(storage)))
            let group = ServiceGroup(configuration: .init(services: [service], logger: logger))
            try await withServices(group) { try await eventually { intake.hasBegun.value } }
            #expect(intake.wasBrokenOff.value)
            await storage.close()
        }
    }

    @Test("A sender that returns with its key keeps an upload that would have been given up")
    func backInTime() async throws {
        try await withPipeline(runs: false) { running in
            let pipeline = running.pipeline
            var request = UploadRequest(owner: try #require(UserID("u")), intake: .socket)
            request.clientReference = "key"
            let record = try await running.reserve(request)
            let givenUp = WallClock.now()
            running.clock.advance()
            let again = try await running.reserve(request)
            #expect(again.id == record.id)
            try await pipeline.store.expire(record.id, from: .reserved, unlessChangedSince: givenUp)
            #expect(try await pipeline.store.record(of: record.id)?.state == .reserved)
            pipeline.store.abandoned.withLock { $0[record.id] = .max }
            try await pipeline.janitor.sweep()
            #expect(try await pipeline.store.record(of: record.id)?.state == .expired)
            #expect(pipeline.store.abandoned.withLock { $0.isEmpty })
        }
    }
}

/// An intake whose sweep never ends, as on a disk that hardly responds.
private struct EndlessIntake: IntakeHandler {
    let hasBegun = Shared(false)
    let wasBrokenOff = Shared(false)
    private let intake: HTTPIntake

    init(_ storage: StorageFolder) { intake = HTTPIntake(storage) }

    func duplicatePolicy(for user: UserID) -> DuplicatePolicy { intake.duplicatePolicy(for: user) }

    func cleanUp(after record: UploadRecord) async throws -> Bool { try await intake.cleanUp(after: record) }

    func sweep() async throws {
        hasBegun.change { $0 = true }
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        wasBrokenOff.change { $0 = true }
        throw CancellationError()
    }
}
