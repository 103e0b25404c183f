import API
import Cryptography
import Files
import Keeping
import Model
import NIOCore
import Service
import Social
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("An upload whose photo arrives in several requests becomes a post as any other does")
struct ResumableUploadTests {
    private static let photo = "baseline-420.jpg"

    private func begin(
        _ running: RunningPipeline, name: String = "a.jpg", length: Int? = nil, text: String = "", key: String? = nil
    ) async throws -> Reservation {
        var request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
        request.text = text
        request.clientReference = key
        return try await running.pipeline.resumable.begin(
            request, .init(name: name, alt: "A photo", length: length))
    }

    private func begun(
        _ running: RunningPipeline, name: String = "a.jpg", length: Int? = nil, text: String = ""
    ) async throws -> PostID {
        guard case .new(let record) = try await begin(running, name: name, length: length, text: text) else {
            struct IsKnown: Error {}
            throw IsKnown()
        }
        #expect(record.state == .receiving)
        return record.id
    }

    @Test func itsPhotoItsTextAndItsWordsAreThePosts() async throws {
        let bytes = try Fixture.bytes(Self.photo)
        try await withPipeline { running in
            let (files, uploads) = (running.pipeline.files, running.pipeline.resumable)
            let id = try await begun(running, length: bytes.count, text: "In #pieces")
            try await files.withFile(id) { try await $0.receive([Array(bytes[..<1000])]) }
            #expect(try await running.pipeline.store.record(of: id)?.state == .receiving)
            try await files.withFile(id) { session in
                try await session.receive([Array(bytes[1000...])])
                _ = try await uploads.accept(session)
            }
            let end = try await running.pipeline.store.end(of: id)
            #expect(end.state == .published)
            #expect(end.photos[0]?.sha256 == sha256(of: bytes))
            #expect(end.photos[0]?.originalName == "a.jpg")
            let post = try #require(try await running.storage.tree.get(PostNodes.post(id)))
            #expect(post["text"] == "In #pieces")
            #expect(PostPhotos.read(post)?.first?.alt == "A photo")
            #expect(try await files.record(of: id) == nil)
            #expect(try running.storage.incoming.names().isEmpty)
        }
    }

    @Test("All bytes had arrived when the service ended: the next run creates the post")
    func recovery() async throws {
        let bytes = try Fixture.bytes(Self.photo)
        // Before the bytes were moved to the blob store, and after.
        for isMoved in [false, true] {
            try await withScratch { scratch in
                let known = Shared<PostID?>(nil)
                try await withPipeline(in: scratch, runs: false) { running in
                    let id = try await begun(running, length: bytes.count)
                    known.change { $0 = id }
                    try await running.pipeline.files.withFile(id) { try await $0.receive([bytes]) }
                }
                let id = try #require(known.value)
                if isMoved {
                    try scratch.write(bytes, to: "Storage/blobs/maria/\(id)/original.jpg")
                    try Directory(path: "\(scratch.path)/Storage/incoming").remove("\(id).partial")
                }
                try await withPipeline(in: scratch) { running in
                    let end = try await running.pipeline.store.end(of: id)
                    #expect(end.state == .published, "moved: \(isMoved)")
                    #expect(end.photos[0]?.sha256 == sha256(of: bytes))
                }
            }
        }
    }

    @Test("Unfinished uploads stay over a restart, and are not swept")
    func restart() async throws {
        let bytes = try Fixture.bytes(Self.photo)
        try await withScratch { scratch in
            let known = Shared<PostID?>(nil)
            try await withPipeline(in: scratch, runs: false) { running in
                let id = try await begun(running, length: bytes.count)
                known.change { $0 = id }
                try await running.pipeline.files.withFile(id) { try await $0.receive([Array(bytes[..<100])]) }
            }
            let id = try #require(known.value)
            try await withPipeline(in: scratch) { running in
                try await running.pipeline.janitor.sweep()
                #expect(try await running.pipeline.files.record(of: id)?.byteCount == 100)
                #expect(try await running.pipeline.store.record(of: id)?.state == .receiving)
            }
        }
    }

    @Test func whatIsNoPhotoFailsAndLeavesNothing() async throws {
        try await withPipeline(runs: false) { running in
            let id = try await begun(running, length: 9000)
            let error = await #expect(throws: Failure.self) {
                try await running.pipeline.files.withFile(id) { session in
                    try await session.receive([[UInt8](repeating: 1, count: 9000)])
                    _ = try await running.pipeline.resumable.accept(session)
                }
            }
            #expect(error?.code == .unsupportedFormat)
            let record = try #require(try await running.pipeline.store.record(of: id))
            #expect(record.state == .failed)
            #expect(record.error?.code == .unsupportedFormat)
            #expect(try running.storage.incoming.names().isEmpty)
            #expect(try await running.pipeline.files.record(of: id) == nil)
        }
    }

    @Test("An upload expires when it is left alone, and not while its sender is active")
    func expiry() async throws {
        try await withPipeline(runs: false, settings: { $0.draftLifetime = .seconds(60) }) { running in
            let (store, files) = (running.pipeline.store, running.pipeline.files)
            let id = try await begun(running)
            running.clock.advance(by: 50_000)
            try await files.withFile(id) { try await $0.receive([[1]]) }
            running.clock.advance(by: 50_000)
            try await running.pipeline.janitor.sweep()
            #expect(try await store.record(of: id)?.state == .receiving)
            running.clock.advance(by: 11_000)
            try await running.pipeline.janitor.sweep()
            #expect(try await store.record(of: id)?.state == .expired)
            #expect(try await files.record(of: id) == nil)
            try await running.pipeline.janitor.sweep()
            #expect(try running.storage.incoming.names().isEmpty)
            #expect(try await store.unfinished(from: .socket).isEmpty)
        }
    }

    @Test func whoeverEndsItEndsWhoeverReceivesIt() async throws {
        try await withPipeline(runs: false) { running in
            let id = try await begun(running)
            let isStuck = Shared(false)
            let stuck = Task {
                try await running.pipeline.files.withFile(id) { session in
                    try await session.receive {
                        isStuck.change { $0 = true }
                        try await Task.sleep(for: .seconds(3600))
                        return nil
                    }
                }
            }
            try await eventually { isStuck.value }
            try await running.pipeline.resumable.cancel(id)
            await #expect(throws: Failure.self) { try await stuck.value }
            #expect(try await running.pipeline.store.record(of: id)?.state == .expired)
            #expect(try running.storage.incoming.names().isEmpty)
            let error = await #expect(throws: Failure.self) { try await running.pipeline.resumable.cancel(id) }
            #expect(error?.code == .notFound)
        }
    }

    @Test("A key finds the upload again, and refuses a request with other data")
    func keys() async throws {
        try await withPipeline(runs: false) { running in
            guard case .new(let first) = try await begin(running, length: 10, text: "one", key: "k"),
                case .known(let again) = try await begin(running, length: 10, text: "one", key: "k")
            else {
                Issue.record("the second request is the same")
                return
            }
            #expect(first.id == again.id)
            for (name, length, text) in [("b.jpg", 10, "one"), ("a.jpg", 11, "one"), ("a.jpg", 10, "two")] {
                let error = await #expect(throws: Failure.self) {
                    try await begin(running, name: name, length: length, text: text, key: "k")
                }
                #expect(error?.code == .keyReused)
            }
            try await running.pipeline.resumable.cancel(first.id)
            guard case .new = try await begin(running, length: 11, text: "two", key: "k") else {
                Issue.record("the key is free again")
                return
            }
        }
    }

    @Test("A key of a failed upload becomes that of the next one when that is complete")
    func keyOfFailure() async throws {
        let bytes = try Fixture.bytes(Self.photo)
        try await withPipeline { running in
            let (files, uploads) = (running.pipeline.files, running.pipeline.resumable)
            guard case .new(let failed) = try await begin(running, key: "k") else {
                Issue.record("the key is a new one")
                return
            }
            await #expect(throws: Failure.self) {
                try await files.withFile(failed.id) { session in
                    try await session.receive([[1, 2, 3]], isLast: true)
                    _ = try await uploads.accept(session)
                }
            }
            guard case .new(let second) = try await begin(running, key: "k") else {
                Issue.record("the first one failed")
                return
            }
            try await files.withFile(second.id) { session in
                try await session.receive([bytes], isLast: true)
                _ = try await uploads.accept(session)
            }
            #expect(try await running.pipeline.store.end(of: second.id).state == .published)
            guard case .known(let known) = try await begin(running, key: "k") else {
                Issue.record("the key names the post")
                return
            }
            #expect(known.id == second.id)
            for (length, text) in [(bytes.count + 1, ""), (bytes.count, "another")] {
                let other = await #expect(throws: Failure.self) {
                    try await begin(running, length: length, text: text, key: "k")
                }
                #expect(other?.code == .keyReused)
            }
        }
    }

    @Test("A deleted person's unfinished uploads are deleted")
    func deletedOwner() async throws {
        try await withPipeline { running in
            let bytes = try Fixture.bytes(Self.photo)
            _ = try await running.upload([("a.jpg", bytes)], by: "maria")
            let id = try await begun(running, length: bytes.count)
            try await running.pipeline.files.withFile(id) { try await $0.receive([Array(bytes[..<100])]) }
            let maria = try #require(UserID("maria"))
            _ = try await People(running.storage.tree).delete(maria)
            try await eventually { try await running.pipeline.store.record(of: id)?.state == .expired }
            let error = await #expect(throws: Failure.self) { try await running.pipeline.files.withFile(id) { _ in } }
            #expect(error?.code == .notFound)
        }
    }
}
