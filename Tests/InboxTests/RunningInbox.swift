import Foundation
import Inbox
import Logging
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

/// Runs a test's body beside a pipeline and an inbox watcher with short delays.
func withInbox(
    in scratch: Scratch? = nil, settings: (inout PipelineSettings) -> Void = { _ in },
    renderer: any PhotoRenderer = InProcessRenderer(),
    intake: (inout InboxWatcher.Settings) -> Void = { _ in },
    _ body: @Sendable (RunningPipeline) async throws -> Void
) async throws {
    var quick = InboxWatcher.Settings()
    quick.quietTime = .milliseconds(300)
    quick.photoPatience = .zero
    quick.rescanInterval = .milliseconds(200)
    intake(&quick)
    let logger = Logger(label: "inbox test") { _ in SwiftLogNoOpLogHandler() }
    try await withPipeline(
        in: scratch,
        settings: { chosen in
            chosen.duplicates.general = .newPost  // Most tests drop the same photo.
            settings(&chosen)
        },
        renderer: renderer,
        services: { [InboxWatcher($0.intake, settings: quick, logger: logger)] }, body)
}

/// Settings with which texts wait for their photos, however long a busy machine takes to deliver these.
@Sendable func waitingForPhotos(_ settings: inout InboxWatcher.Settings) { settings.quietTime = .seconds(600) }

extension RunningPipeline {
    func posts() async throws -> [TreeValue] {
        try await storage.tree.children(of: PostNodes.post()).map(\.value)
    }

    /// Drops a file as `mv` does: it appears complete.
    func drop(_ fixture: String, as name: String) throws {
        try drop(Fixture.bytes(fixture), as: name)
    }

    /// Drops bytes as `mv` does a file: they appear complete.
    func drop(_ bytes: [UInt8], as name: String) throws {
        let moving = "moving-\(UUID().uuidString)"
        try scratch.write(bytes, to: moving)
        let target = URL(fileURLWithPath: "\(scratch.path)/Storage/inbox/\(name)")
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: URL(fileURLWithPath: "\(scratch.path)/\(moving)"), to: target)
    }

    /// Returns the document `NAME.receipt.json` or `NAME.reason.json` at a path below Storage, once it exists.
    func document(_ path: String) async throws -> [String: String] {
        try await eventually { scratch.exists("Storage/\(path)") }
        let data = Data(try scratch.read("Storage/\(path)").utf8)
        let fields = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        return fields.mapValues { "\($0)" }
    }
}

extension RunningPipeline {
    /// Renames an item below Storage, in one step.
    func move(_ name: String, to target: String) throws {
        let place = URL(fileURLWithPath: "\(scratch.path)/Storage/\(target)")
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: URL(fileURLWithPath: "\(scratch.path)/Storage/\(name)"), to: place)
    }
}
