import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel
import TintypeStore
import TintypeTestSupport

@Suite("Photos of a device", .timeLimit(.minutes(5)))
struct PhotoTests {
    /// A photo of the project, with further bytes after its end so that it is sent in several pieces.
    private func photo(in folder: URL, byteCount: Int = 0) throws -> URL {
        var bytes = try Data(contentsOf: Fixtures.photo)
        bytes.append(Data(repeating: 0, count: max(0, byteCount - bytes.count)))
        let file = folder.appendingPathComponent("\(UUID().uuidString).jpg")
        try bytes.write(to: file)
        return file
    }

    private func withAnn(_ body: (ServiceProcess) async throws -> Void) async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await body(service)
        }
    }

    @Test("Photos are kept at once, shown from the device, sent in pieces in their order, and then let go")
    func photos() async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                let files = [
                    try photo(in: device.folder, byteCount: (5 << 19) + 7), try photo(in: device.folder),
                ]
                var draft = PostDraft(text: "Two views")
                draft.photos = files.enumerated().map { PhotoDraft(file: $1, alternativeText: "View \($0)") }
                let submission = try await device.store.publish(draft)
                for file in files { try FileManager.default.removeItem(at: file) }
                let offline = try #require(try await first(device.store.post(submission.subject)) { _ in true })
                #expect(offline.photoFiles.count == 2 && offline.post.photos.count == 2)
                for file in offline.photoFiles.values { #expect(FileManager.default.fileExists(atPath: file.path)) }
                let online = try await device.online {
                    _ = try await first(submission.states, where: \.isFinal)
                    return try await first(device.store.post(submission.subject)) {
                        $0?.state == .upToDate && $0?.photoFiles.isEmpty == true
                    }
                }
                #expect(online?.post.photos.map(\.alternativeText) == ["View 0", "View 1"])
                #expect(online?.post.photos.allSatisfy { !$0.renditions.isEmpty && $0.width > 1 } == true)
                let kept = device.folder.appendingPathComponent("photos")
                #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path).isEmpty)
                let id = try #require(online?.post.id)
                #expect(try await device.client.posts().value.elements.map(\.id) == [id])
            }
        }
    }

    @Test(
        "A photo that cannot be read is refused with its reason, stays on the device, and stops no other post",
        arguments: [false, true])
    func damaged(bySystem: Bool) async throws {
        try await withAnn { service in
            let network = URLSessionTransport()
            defer { network.close() }
            let uploader = bySystem ? TransportUploader(network) : nil
            try await Device.run("ann", of: service, uploader: uploader) { device in
                let file = device.folder.appendingPathComponent("broken.jpg")
                try Data(repeating: 7, count: 50_000).write(to: file)
                let broken = try await device.store.publish(PostDraft(photos: [PhotoDraft(file: file)]))
                let text = try await device.store.publish(PostDraft(text: "After it"))
                try await device.online {
                    _ = try await first(text.states, where: \.isFinal)
                    let state = try await first(broken.states) { if case .refused = $0 { true } else { false } }
                    guard case .refused(let problem) = state else { return }
                    #expect(problem.status == 415 && problem.code != .unknown && !problem.message.isEmpty)
                }
                let shown = try #require(try await first(device.store.post(broken.subject)) { _ in true })
                #expect(shown.parkedWrites == [broken.id].compactMap(\.self) && shown.photoFiles.count == 1)
                #expect(shown.photoFiles.values.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
                try await device.store.discard(try #require(broken.id))
                #expect(try await first(device.store.post(broken.subject)) { _ in true } == nil)
                let kept = device.folder.appendingPathComponent("photos")
                #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path).isEmpty)
            }
        }
    }

    @Test("A file that does not exist is an error at once, and leaves nothing")
    func missing() async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                let files = [try photo(in: device.folder), device.folder.appendingPathComponent("none.jpg")]
                await #expect(throws: (any Error).self) {
                    try await device.store.publish(PostDraft(photos: files.map { PhotoDraft(file: $0) }))
                }
                #expect(try await first(device.store.unsentCount()) { _ in true } == 0)
                let kept = device.folder.appendingPathComponent("photos")
                #expect((try? FileManager.default.contentsOfDirectory(atPath: kept.path))?.isEmpty != false)
            }
        }
    }

    @Test("After a cut at most one piece is sent again, and the post is published once")
    func cuts() async throws {
        try await withAnn { service in
            let count = (7 << 19) + 11
            let network = URLSessionTransport()
            defer { network.close() }
            let cutting = CuttingTransport(network)
            try await Device.run("ann", of: service, transport: cutting) { device in
                let file = try photo(in: device.folder, byteCount: count)
                let submission = try await device.store.publish(PostDraft(photos: [PhotoDraft(file: file)]))
                try await device.online { _ = try await first(submission.states, where: \.isFinal) }
                #expect(try await device.client.posts().value.elements.count == 1)
                // Each cut sends one piece again at most.
                let sent = cutting.sentCount
                #expect(cutting.cutCount >= 3 && sent <= Int64(count) + Int64(cutting.cutCount) << 20, "\(sent) bytes")
            }
        }
    }
}
