import API
import Foundation
import Model
import NIOCore
import Service
import Social
import Store
import TestSupport
import Testing
import Tree

@testable import Keeping
@testable import Uploads

/// A store with an item of every kind, to be damaged and audited.
struct StoreCheckStore: Sendable {
    let running: RunningPipeline
    let maria: UserID
    let jan: UserID
    /// A post of maria's with a photo and a hashtag, with a like and a comment of jan's.
    let post: PostID
    /// Another post.
    let other: PostID
    let avatar: PostID
    let object: StoredObject

    var tree: TreeStore { running.storage.tree }
    /// The day of the posts, as a key of the per-day counters.
    var day: TreeKey { TreeKey(unchecked: String(post.timestamp.milliseconds / 86_400_000)) }

    init(_ running: RunningPipeline) async throws {
        self.running = running
        maria = try #require(UserID("maria"))
        jan = try #require(UserID("jan"))
        let photo = (name: "a.jpg", bytes: try Fixture.bytes("baseline-420.jpg"))
        post = try await running.upload([photo], by: "maria", text: "At the lake #summer").id
        let second = (name: "b.png", bytes: try Fixture.bytes("rgb-8.png"))
        other = try await running.upload([second, photo], by: "maria", text: "Two").id
        _ = try await running.upload([], by: "jan", text: "Hello")
        let tree = running.storage.tree
        for (path, value) in [
            ("people/jan/following/maria", true), ("blocking/maria/eve", true), ("people/eve/full_name", "Eve"),
            ("audiences/-OaAaAaAaAaAaAaAaAaA", ["name": "Family", "kind": "group", "members": ["maria": "owner"]]),
        ] as [(TreePath, TreeValue)] {
            try await tree.set(path, to: value)
        }
        try await tree.set("likes" / post.key / "jan", to: .integer(1))
        try await tree.set(
            "comments" / post.key / "-OaBbBbBbBbBbBbBbBbB",
            to: ["author": ["uid": "jan", "full_name": "jan"], "text": "Nice", "timestamp": 1])
        var request = UploadRequest(owner: maria, intake: .socket)
        request.purpose = .avatar
        var session = running.pipeline.receiver.resume(try await running.reserve(request))
        try await session.receive(photo.bytes, named: "me.jpg")
        avatar = try await session.accept(text: "").id
        _ = try await running.pipeline.store.end(of: avatar)
        let upload = try await running.pipeline.objects.beginUpload()
        try await upload.write(ByteBuffer(string: "bytes of an object"))
        object = try await running.pipeline.objects.put(
            try await upload.finish(), as: try #require(ObjectName("maria/a")), ObjectMetadata()
        ) { _ in }
        try await eventually { try await tree.get(WorkNodes.followUpTask()) == nil }
    }

    /// Audits the store.
    func audit(
        _ action: StoreCheckAction, changes: Bool = false, reads: Bool = false, user: String? = nil,
        maxShare: Double = 0.05, unreadFor: Duration? = nil, sample: Double = 1
    ) async throws -> (findings: [FindingDocument], last: StoreCheckStepDocument) {
        var order = StoreCheckOrder(action)
        order.changes = changes
        order.readsFiles = order.readsFiles || reads
        (order.maxShare, order.unreadFor, order.sample) = (maxShare, unreadFor, sample)
        try order.select(user: user)
        let findings = Shared<[FindingDocument]>([])
        let last = try await StoreCheck(running.pipeline.storeCheckTools, order).run { step in
            if case .finding(let finding) = step { findings.change { $0.append(finding) } }
        }
        return (findings.value, last)
    }

    /// Returns the findings of a check of any store.
    static func findings(_ running: RunningPipeline) async throws -> [FindingDocument] {
        let findings = Shared<[FindingDocument]>([])
        _ = try await StoreCheck(running.pipeline.storeCheckTools, StoreCheckOrder(.check)).run { step in
            if case .finding(let finding) = step { findings.change { $0.append(finding) } }
        }
        return findings.value
    }

    // MARK: Damage

    /// Writes without derivations.
    func write(_ writes: [TreePath: TreeValue?]) async throws {
        var update = MultiPathUpdate()
        update.scope = .none
        for (path, value) in writes { update[path] = value }
        try await tree.update(update)
    }

    func record(_ id: PostID) async throws -> UploadRecord {
        try #require(try await running.pipeline.store.record(of: id))
    }

    /// The path of a file of an upload.
    func path(_ id: PostID, _ fileName: String) -> String {
        "\(running.scratch.path)/Storage/blobs/maria/\(id)/\(fileName)"
    }

    /// Returns the path of the rendition of a post whose name begins with the prefix.
    func rendition(_ prefix: String, of id: PostID) async throws -> String {
        let names = try await running.storage.blobs.fileNames(userID: "maria", postID: id.string)
        return path(id, try #require(names.first { $0.hasPrefix(prefix) }))
    }

    var objectPath: String { "\(running.scratch.path)/Storage/blobs/\(object.blob)" }

    func delete(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    func truncate(_ path: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try Data(bytes.dropLast()).write(to: URL(fileURLWithPath: path))
    }

    func flip(_ path: String) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count / 2] ^= 0x10
        try bytes.write(to: URL(fileURLWithPath: path))
    }
}
