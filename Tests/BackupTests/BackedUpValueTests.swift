import API
import Foundation
import Store
import TestSupport
import Testing
import Tree
import Uploads

@testable import Backup

@Suite("A value from the newest backup", .timeLimit(.minutes(20)))
struct BackedUpValueTests {
    @Test("It is read from the newest backup; another store's value, and a path without a value, are refused")
    func value() async throws {
        try await withScratch { scratch in
            try await withPipeline(in: scratch) { running in
                let store = try await BackedUpStore(running)
                for name in ["Maria", "Mary"] as [TreeValue] {
                    try await store.tree.set("people/maria/full_name", to: name)
                    try await store.backup()
                }
                try await store.tree.set("people/maria/full_name", to: "Later")
                let id = try #require(store.storage.age.storeID)

                #expect(try await Self.json("people/maria/full_name", in: store, of: id) == #""Mary""#)
                #expect(try await Self.json("people/maria/full_name", in: store, of: nil) == #""Mary""#)
                await Self.expect(.notFound) { try await Self.json("people/nobody", in: store, of: id) }
                await Self.expect(.notFound) {
                    try await Self.json("people/maria/full_name", isPriority: true, in: store, of: id)
                }
                await Self.expect(.differentStores) {
                    try await Self.json("people/maria/full_name", in: store, of: "another")
                }
            }
        }
    }

    private static func json(
        _ path: TreePath, isPriority: Bool = false, in store: BackedUpStore, of id: String?
    ) async throws -> String {
        let folder = "\(store.running.scratch.path)/work-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let value = BackedUpValue(in: try await Restore.source(store.folder), of: id)
        return String(
            decoding: try await value.json(at: path, isPriority: isPriority, workingIn: folder), as: UTF8.self)
    }

    private static func expect(_ code: ErrorCode, _ body: () async throws -> String) async {
        let failure = await #expect(throws: Failure.self) { _ = try await body() }
        #expect(failure?.code == code)
    }
}
