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

/// A real pipeline on a real Storage folder of the test's own, running.
package struct RunningPipeline: Sendable {
    package let storage: StorageFolder
    package let pipeline: Pipeline
    package let scratch: Scratch
    /// What the pipeline takes for the present time.
    package let clock: TestClock
    fileprivate let group: ServiceGroup

    /// Stops it as Ctrl-C would; the body of `withPipeline` may go on looking at the tree.
    package func shutDown() async {
        await group.triggerGracefulShutdown()
    }
}

/// Runs a test's body beside a pipeline (and what else `services` makes), and shuts both down cleanly afterwards.
/// Without `blobs`, photos are in a folder; without `runs`, the pipeline takes uploads and does nothing with them.
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
    /// Sends photos as the HTTP server does, and waits for what becomes of them.
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

    /// Sends a fixture as the HTTP server does, and returns when it is acknowledged.
    package func accept(_ fixture: String, by user: String) async throws -> PostID {
        let request = UploadRequest(owner: try #require(UserID(user)), intake: .socket)
        var session = pipeline.receiver.resume(try await reserve(request))
        try await session.receive(try Fixture.bytes(fixture), named: fixture)
        return try await session.accept(text: "").id
    }

    /// Reserves an upload that nobody has asked for before.
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
