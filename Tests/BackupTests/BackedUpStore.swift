import API
import Foundation
import Keeping
import Model
import Service
import Social
import Store
import TestSupport
import Testing
import Tree
import Uploads

@testable import Backup

/// A store with posts, people, likes and other data, for tests of backups.
struct BackedUpStore: Sendable {
    static let trees: [Namespace] = [
        .main, .pipeline, Namespace(reserved: "social"), Namespace(reserved: "accounts"), Namespace(reserved: "media"),
    ]

    let running: RunningPipeline
    let folder: String

    var storage: StorageFolder { running.storage }
    var tree: TreeStore { running.storage.tree }

    init(_ running: RunningPipeline) async throws {
        self.running = running
        folder = running.scratch.path + "/backups"
        try await post("At the lake #summer")
        try await tree.set("people/jan/following/maria", to: true)
        try await eventually { [running] in try await running.storage.tree.get(WorkNodes.followUpTask()) == nil }
        try running.scratch.write("not a photo", to: "Storage/failed/unknown_format/maria/50% of\na.txt")
        try running.scratch.write("{}", to: "Storage/tintype.json")
    }

    @discardableResult
    func post(_ text: String, by user: String = "maria") async throws -> PostID {
        let photo = (name: "a.jpg", bytes: try Fixture.bytes("baseline-420.jpg"))
        return try await running.upload([photo], by: user, text: text).id
    }

    /// Creates a backup.
    @discardableResult
    func backup(to path: String? = nil) async throws -> (last: BackupStepDocument, findings: [FindingDocument]) {
        let findings = Shared<[FindingDocument]>([])
        let last = try await Backup(of: storage, to: path ?? folder).run { step in
            if case .finding(let finding) = step { findings.change { $0.append(finding) } }
        }
        return (last, findings.value)
    }

    /// Returns all trees as whole values.
    func values() async throws -> [TreeValue?] { try await Self.values(of: tree) }

    static func values(of tree: TreeStore) async throws -> [TreeValue?] {
        try await tree.snapshot { snapshot in try trees.map { try snapshot.get(TreePath([], in: $0)) } }
    }
}

/// Restores a backup to a folder of its own, and runs a body with it.
func withRestored(
    _ path: String, _ point: RestorePoint = .newest, in scratch: Scratch, named name: String = "restored",
    _ body: @Sendable (RunningPipeline, BackupStepDocument, [FindingDocument]) async throws -> Void
) async throws {
    let findings = Shared<[FindingDocument]>([])
    let target = "\(scratch.path)/\(name)"
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    let restore = Restore(from: try await Restore.source(path), point, to: "\(target)/Storage")
    let last = try await restore.run { step in
        if case .finding(let finding) = step { findings.change { $0.append(finding) } }
    }
    try await withPipeline(in: Scratch(path: target), runs: false) { running in
        try await body(running, last, findings.value)
    }
}

extension RunningPipeline {
    /// Returns the findings of an audit of all bytes.
    func audit() async throws -> [FindingDocument] {
        let findings = Shared<[FindingDocument]>([])
        var order = StoreCheckOrder(.verify)
        order.readsFiles = true
        _ = try await StoreCheck(pipeline.storeCheckTools, order).run { step in
            if case .finding(let finding) = step { findings.change { $0.append(finding) } }
        }
        return findings.value
    }
}

extension BackupFolder {
    /// Returns the list of files in the newest backup.
    func newestList() async throws -> FileListReader { list(try await newest().blobs) }
}

extension TreeValue? {
    /// Returns the leaves in which two values differ, a line each.
    func differences(from other: TreeValue?, at path: String = "") -> [String] {
        guard self != other else { return [] }
        guard case .object(let fields)? = self, case .object(let others)? = other else {
            return ["\(path): \(self.map { "\($0)" } ?? "nothing"), and was \(other.map { "\($0)" } ?? "nothing")"]
        }
        return Set(fields.keys).union(others.keys).flatMap { key in
            fields[key].differences(from: others[key], at: "\(path)/\(key)")
        }.sorted()
    }
}
