import Logging
import NIOCore
package import Pipeline
package import Posts
package import ServiceLifecycle
import Testing
import Tree

/// A real pipeline on a real Storage folder of the test's own, running.
package struct RunningPipeline: Sendable {
    package let storage: StorageFolder
    package let pipeline: UploadPipeline
    package let scratch: Scratch
    fileprivate let group: ServiceGroup

    /// Stops it as Ctrl-C would; the body of `withPipeline` may go on looking at the tree.
    package func shutDown() async {
        await group.triggerGracefulShutdown()
    }
}

/// Runs a test's body beside a pipeline (and what else `services` makes), and shuts both down cleanly afterwards.
/// Without `runs`, the pipeline takes uploads and does nothing with them.
package func withPipeline(
    in scratch: Scratch? = nil, runs: Bool = true, settings: (inout PipelineSettings) -> Void = { _ in },
    renderer: any PhotoRenderer = InProcessRenderer(), services: (UploadPipeline) -> [any Service] = { _ in [] },
    _ body: @Sendable (RunningPipeline) async throws -> Void
) async throws {
    guard let scratch else {
        return try await withScratch {
            try await withPipeline(
                in: $0, runs: runs, settings: settings, renderer: renderer, services: services, body)
        }
    }
    var chosen = PipelineSettings(workers: 2)
    settings(&chosen)
    let storage = try await StorageFolder(path: scratch.path + "/Storage")
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let pipeline = UploadPipeline(storage: storage, settings: chosen, renderer: renderer, logger: logger)
    let group = ServiceGroup(
        configuration: .init(services: (runs ? [pipeline] : []) + services(pipeline), logger: logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        let result: Result<Void, any Error>
        do {
            let running = RunningPipeline(storage: storage, pipeline: pipeline, scratch: scratch, group: group)
            result = .success(try await body(running))
        } catch {
            result = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        await storage.close()
        return try result.get()
    }
}

extension RunningPipeline {
    /// Sends photos as the HTTP server does, and waits for what becomes of them.
    package func upload(
        _ photos: [(name: String, bytes: [UInt8])], by user: String, text: String = "", alt: String = "",
        reference: String? = nil
    ) async throws -> UploadRecord {
        let owner = try #require(UserID(user))
        var request = UploadRequest(owner: owner, intake: .socket)
        request.clientReference = reference
        let record: UploadRecord
        switch try await pipeline.reserve(request) {
        case .new(let new): record = new
        case .known(let known): return try await pipeline.outcome(of: known.id)
        }
        var ingested: [UploadRecord.Photo] = []
        for (number, photo) in photos.enumerated() {
            let staged = try await pipeline.stage(record.id)
            try await pipeline.append(ByteBuffer(bytes: photo.bytes), to: staged)
            var ingestedPhoto = try await pipeline.ingest(
                staged, as: number, originalName: photo.name, of: record)
            ingestedPhoto.alt = alt
            ingested.append(ingestedPhoto)
        }
        try await pipeline.accept(record.id, photos: ingested, text: text)
        return try await pipeline.outcome(of: record.id)
    }

    /// Sends a fixture as the HTTP server does, and returns when it is acknowledged.
    package func accept(_ fixture: String, by user: String) async throws -> PostID {
        let request = UploadRequest(owner: try #require(UserID(user)), intake: .socket)
        guard case .new(let record) = try await pipeline.reserve(request) else { throw CancellationError() }
        let staged = try await pipeline.stage(record.id)
        try await pipeline.append(ByteBuffer(bytes: try Fixture.bytes(fixture)), to: staged)
        let photo = try await pipeline.ingest(staged, as: 0, originalName: fixture, of: record)
        try await pipeline.accept(record.id, photos: [photo], text: "")
        return record.id
    }
}
