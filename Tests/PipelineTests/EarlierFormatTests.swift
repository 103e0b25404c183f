import API
import Files
import Foundation
import Model
import Service
import Social
import Store
import TestSupport
import Testing
import Tree
import Uploads

@testable import Keeping

/// `Fixtures/stores` has a Storage folder of each earlier format, written by the last version with that format:
/// Fixtures/README.md names their commits.
@Suite("A store of each earlier format is upgraded", .timeLimit(.minutes(10)))
struct EarlierFormatTests {
    private static let stores = (try? FileManager.default.contentsOfDirectory(atPath: Fixture.path("stores"))) ?? []
    private static let formats = stores.filter { $0 != "make" }.sorted()

    private func withStore(_ name: String, _ body: @Sendable (Scratch) async throws -> Void) async throws {
        try await withScratch { scratch in
            try FileManager.default.copyItem(atPath: Fixture.path("stores/\(name)"), toPath: scratch.path + "/Storage")
            try await body(scratch)
        }
    }

    /// Runs the service's pipeline until the upgrade is complete.
    private func withUpgraded(
        _ scratch: Scratch, _ body: @Sendable (RunningPipeline) async throws -> Void
    ) async throws {
        try await withPipeline(
            in: scratch, settings: { $0.draftLifetime = .seconds(1000 * 366 * 86_400) }
        ) { running in
            try await eventually { running.storage.upgrade.state == .unconfirmed }
            try await body(running)
        }
    }

    @Test("A store of each format exists") func all() {
        #expect(Self.formats.count == 7)
    }

    @Test("The posts are shown with all their files, and an audit of every byte finds nothing", arguments: formats)
    func broughtForward(name: String) async throws {
        try await withStore(name) { scratch in
            try await withUpgraded(scratch) { running in
                let storage = running.storage
                #expect(storage.age.mismatch == nil && storage.upgrade.from == 1)
                let posts = try await storage.tree.children(of: PostNodes.post())
                // The first version deleted no posts.
                #expect(posts.count == (name == "tree-1" ? 7 : 6))
                var fileCount = 0
                for post in posts {
                    #expect(PostShape.fault(of: post.value) == nil)
                    for rendition in try #require(PostPhotos.read(post.value)).flatMap(\.renditions.values) {
                        let name = try BlobName(
                            userID: try #require(post.value["author"]?["uid"]?.stringValue), postID: post.key.string,
                            fileName: rendition.fileName)
                        let byteCount = try await storage.blobs.open(name).byteCount()
                        #expect(byteCount == rendition.byteCount)
                        fileCount += 1
                    }
                }
                #expect(fileCount >= 5)
                try storage.confirmUpgrade()
                let step = try await StoreCheck(running.pipeline.storeCheckTools, StoreCheckOrder(.verify)).run {
                    step in
                    if case .finding(let finding) = step { Issue.record("\(finding)") }
                }
                #expect(step.findings.isEmpty && step.finished)
            }
        }
    }

    @Test("The way back restores the earlier store", arguments: formats)
    func back(name: String) async throws {
        try await withStore(name) { scratch in
            let file = "\(scratch.path)/Storage/tree.sqlite"
            #expect(try await hasFirstLayout(file) == (name == "tree-1"))
            let before = try await rows(in: file)
            try await withUpgraded(scratch) { running in
                _ = try await running.upload([], by: "maria", text: "new")
            }
            try StoreUpgrade.goBack(path: scratch.path + "/Storage")
            #expect(try await rows(in: file) == before)
        }
    }

    private func hasFirstLayout(_ path: String) async throws -> Bool {
        let engine = try SQLiteEngine(path: path)
        let isUsed = try await FirstFormat.isUsed(by: engine)
        await engine.close()
        return isUsed
    }

    private func rows(in path: String) async throws -> [[UInt8]] {
        let engine = try SQLiteEngine(path: path)
        let rows = try await engine.read { snapshot throws(TreeError) in
            var rows: [[UInt8]] = []
            try snapshot.scan(ByteRange(from: [], upTo: [0xFF]), reverse: false) { key, value in
                rows.append(key.withUnsafeBufferPointer(Array.init) + [0] + value.withUnsafeBufferPointer(Array.init))
                return true
            }
            return rows
        }
        await engine.close()
        return rows
    }
}
