import API
import Inbox
import Keeping
import Logging
package import Model
import NIOCore
package import Service
package import ServiceLifecycle
package import Store
import Testing
import Tree
package import Uploads

/// A real, running pipeline on a test's own Storage folder.
package struct RunningPipeline: Sendable {
    package let storage: StorageFolder
    package let pipeline: Pipeline
    package let scratch: Scratch
    /// The clock of the pipeline.
    package let clock: TestClock
    fileprivate let group: ServiceGroup

    /// Stops it like Ctrl-C; the body of `withPipeline` may continue to read the tree.
    package func shutDown() async {
        await group.triggerGracefulShutdown()
    }
}

/// Runs a test's body beside a pipeline (and the services of `services`), and shuts both down cleanly afterwards. Without
/// `blobs`, photos are stored in a folder; without `runs`, the pipeline accepts uploads and does not process them.
package func withPipeline(
    in scratch: Scratch? = nil, blobs: (any BlobStore)? = nil, runs: Bool = true, publicBase: PublicBase? = nil,
    settings: (inout PipelineSettings) -> Void = { _ in },
    renderer: any PhotoRenderer = InProcessRenderer(), moderator: Moderator? = nil,
    services: (Pipeline) -> [any Service] = { _ in [] },
    _ body: @Sendable (RunningPipeline) async throws -> Void
) async throws {
    guard let scratch else {
        return try await withScratch {
            try await withPipeline(
                in: $0, blobs: blobs, runs: runs, publicBase: publicBase, settings: settings, renderer: renderer,
                moderator: moderator, services: services,
                body)
        }
    }
    var chosen = PipelineSettings(workers: 2)
    settings(&chosen)
    let clock = TestClock()
    let storage = try await StorageFolder.open(
        path: scratch.path + "/Storage", blobs: blobs, publicBase: publicBase, clock: clock.now)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let pipeline = Pipeline(
        storage: storage, settings: chosen, renderer: renderer, moderator: moderator, logger: logger)
    let group = ServiceGroup(
        configuration: .init(services: (runs ? [pipeline] : []) + services(pipeline), logger: logger))
    let running = RunningPipeline(
        storage: storage, pipeline: pipeline, scratch: scratch, clock: clock, group: group)
    do {
        try await withServices(group) { try await body(running) }
    } catch {
        await storage.close()
        throw error
    }
    await storage.close()
}

extension RunningPipeline {
    /// Sends photos like the HTTP server, and waits for the outcome.
    package func upload(
        _ photos: [(name: String, bytes: [UInt8])], by user: String, text: String = "", alt: String = "",
        reference: String? = nil, duplicates: DuplicatePolicy? = nil
    ) async throws -> UploadRecord {
        var request = UploadRequest(owner: try #require(UserID(user)), intake: .socket)
        request.clientReference = reference
        request.duplicates = duplicates
        let record = try await pipeline.receiver.begin(request) { start in
            switch consume start {
            case .known(let known):
                return known.record
            case .new(var session):
                for photo in photos { try await session.receive(photo.bytes, named: photo.name, alt: alt) }
                return try await session.accept(text: text)
            }
        }
        return try await pipeline.store.end(of: record.id)
    }

    /// Sends a fixture like the HTTP server, and returns when it is acknowledged.
    package func accept(_ fixture: String, by user: String) async throws -> PostID {
        let request = UploadRequest(owner: try #require(UserID(user)), intake: .socket)
        var session = pipeline.receiver.resume(try await reserve(request))
        try await session.receive(try Fixture.bytes(fixture), named: fixture)
        return try await session.accept(text: "").id
    }

    /// Reserves a new upload.
    package func reserve(_ request: UploadRequest) async throws -> UploadRecord {
        let reservation = try await pipeline.store.reserve(request)
        guard case .new(let record) = reservation else {
            struct IsKnown: Error {}
            throw IsKnown()
        }
        return record
    }
}

extension UploadSession {
    /// Receives a photo that is in memory.
    package mutating func receive(_ bytes: [UInt8], named name: String, alt: String = "") async throws {
        var rest: ByteBuffer? = ByteBuffer(bytes: bytes)
        try await receive(named: name, alt: alt) {
            defer { rest = nil }
            return rest
        }
    }
}
