import API
import Foundation
import Model
import Service
import Store
import TestSupport
import Testing

@testable import Keeping
@testable import Tree
@testable import Uploads

@Suite("A row of the tree that cannot be read", .timeLimit(.minutes(20)))
struct RowRepairTests {
    /// Two rows of one store: the service's own, and one of a post.
    enum Row: CaseIterable, Sendable {
        case counterOfStore, queueEntry, stateOfUpload, textOfPost

        func path(published: PostID, reserved: PostID) -> TreePath {
            switch self {
            case .counterOfStore: StoreNodes.store() / "counter"
            case .queueEntry: UploadNodes.queued(reserved)
            case .stateOfUpload: UploadNodes.upload(published) / "state"
            case .textOfPost: PostNodes.post(published) / "text"
            }
        }
    }

    @Test(
        "The service starts, names the row, publishes beside it and sweeps nothing; a replaced row restores all work",
        arguments: Row.allCases)
    func life(_ row: Row) async throws {
        try await withScratch { scratch in
            let noted = Shared<TreePath?>(nil)
            try await withPipeline(in: scratch) { running in
                let published = try await running.upload([], by: "maria", text: "Hello").id
                let request = UploadRequest(owner: try #require(UserID("jan")), intake: .socket)
                let reserved = try await running.reserve(request).id
                noted.change { $0 = row.path(published: published, reserved: reserved) }
            }
            let path = try #require(noted.value)
            let json = try await Self.damage(path, in: scratch)

            try await withPipeline(in: scratch) { running in
                let health = running.storage.tree.health
                #expect(try await running.upload([], by: "eve", text: "Beside it").state == .published)
                await health.waitForDamagedRows(beyond: 0)
                #expect(health.damage == nil && health.damagedRows.map(\.path) == [path])
                #expect(running.storage.hold?.code == .corrupt && running.pipeline.disk.gate.pause == nil)
                let status = try await running.pipeline.report.status()
                #expect(status.sweepHold?.message.contains("\(path)") == true)
                let check = try await StoreCheck(running.pipeline.storeCheckTools, StoreCheckOrder(.check)).run { _ in }
                #expect(check.findings == ["tree_damaged": 1])

                let repair = try await RowRepair(at: path, in: running.storage)
                await #expect(throws: TreeError.self) { _ = try await repair.run(json: Array("{".utf8)) }
                #expect(!FileManager.default.fileExists(atPath: scratch.path + "/Storage/damaged"))
                let document = try await repair.run(json: json)
                #expect(document.path == TreeInvariant.text(path) && document.value == "09")
                let file = "\(scratch.path)/Storage/\(document.file)"
                let kept = try #require(FileManager.default.contents(atPath: file))
                #expect(try ReplacedRowDocument(json: kept).json() == document.json())
                await #expect(throws: Failure.self) { _ = try await RowRepair(at: path, in: running.storage) }
            }

            try await withPipeline(in: scratch) { running in
                let check = try await StoreCheck(running.pipeline.storeCheckTools, StoreCheckOrder(.check)).run { _ in }
                #expect(check.findings.isEmpty && running.storage.hold == nil)
            }
        }
    }

    /// Replaces a row with bytes that are not a leaf.
    ///
    /// - Returns: The former value, as JSON.
    private static func damage(_ path: TreePath, in scratch: Scratch) async throws -> [UInt8] {
        let engine = try SQLiteEngine(path: scratch.path + "/Storage/tree.sqlite")
        let tree = try await TreeStore(engine: engine, isMaintained: false)
        let value = try #require(try await tree.get(path))
        try #require(value.object == nil, "\(path) is its own row")
        try await engine.write { transaction throws(TreeError) in
            try transaction.put([9], for: StoreFormat.dataKey(path))
        }
        await tree.close()
        return value.json()
    }
}
