import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

@Suite("Posts that a share extension hands over", .timeLimit(.minutes(5)))
struct HandOverTests {
    private func withAnn(_ body: (ServiceProcess) async throws -> Void) async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await body(service)
        }
    }

    /// Returns the names of what is in a folder, in their order; none if there is no folder.
    private func names(_ folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    private func photos() -> [PhotoDraft] {
        (0..<2).map { PhotoDraft(file: Fixtures.photo, alternativeText: "View \($0)") }
    }

    private func texts(_ store: LocalStore) async throws -> [String?] {
        try await first(store.feed().snapshots()) { _ in true }.posts.map(\.post.text).reversed()
    }

    @Test(
        "Posts are adopted in their order when the app runs, with their photos and their time, and the folder is empty")
    func order() async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                let shared = device.folder.appendingPathComponent("shared")
                let handOver = HandOver(folder: shared)
                let date = Date(timeIntervalSince1970: 1_795_000_000)
                var draft = PostDraft(text: "A", photos: photos())
                draft.mentions = [Mention(personID: "ann", start: 0, length: 1)]
                for text in ["A", "B", "C"] {
                    draft.text = text
                    try handOver.put(draft, at: date)
                    if text == "A" { (draft.photos, draft.mentions) = ([], []) }
                }
                #expect(names(shared).count == 3)
                let run = Task { try await device.store.run(adoptingPostsFrom: handOver) }
                let feed = try await first(device.store.feed().snapshots()) { snapshot in
                    snapshot.posts.count == 3 && snapshot.posts.allSatisfy { $0.state == .upToDate }
                }
                run.cancel()
                _ = await run.result
                #expect(feed.posts.map(\.post.text) == ["C", "B", "A"] && names(shared).isEmpty)
                #expect(feed.posts.allSatisfy { $0.post.clientTimestamp == date })
                let post = try #require(feed.posts.last?.post)
                #expect(post.photos.map(\.alternativeText) == ["View 0", "View 1"] && post.mentions.count == 1)
                #expect(try await device.client.posts().value.elements.count == 3)
            }
        }
    }

    @Test("An extension that ends in the middle has put no post, and what it has left is deleted after a day")
    func endOfExtension() async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                let whole = device.folder.appendingPathComponent("whole")
                try HandOver(folder: whole).put(PostDraft(text: "Cut", photos: photos()))
                let post = whole.appendingPathComponent(try #require(names(whole).first))
                let files = names(post).sorted { $1 == "post.json" && $0 != $1 }
                #expect(files.count == 3)
                for count in 0...files.count {
                    let shared = device.folder.appendingPathComponent("shared-\(count)")
                    let draft = shared.appendingPathComponent("\(UUID().uuidString).draft")
                    try FileManager.default.createDirectory(at: draft, withIntermediateDirectories: true)
                    for file in files.prefix(count) {
                        try FileManager.default.copyItem(
                            at: post.appendingPathComponent(file), to: draft.appendingPathComponent(file))
                    }
                    let handOver = HandOver(folder: shared)
                    let adoption = try await device.store.adoptPosts(from: handOver)
                    #expect(adoption.posts.isEmpty && adoption.setAside.isEmpty && names(shared).count == 1)
                    try handOver.put(PostDraft(text: "Later"), at: Date(timeIntervalSinceNow: 90_000))
                    #expect(names(shared).map { $0.hasSuffix(".post") } == [true])
                }
                #expect(try await texts(device.store).isEmpty)
            }
        }
    }

    @Test("A post is published once, wherever its adoption ends")
    func endOfApp() async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                let manager = FileManager.default
                let records = try await SQLiteRecordStore(
                    path: device.folder.appendingPathComponent("store.sqlite").path)
                // The end of a transaction, or the number of files that a cut deletion has deleted.
                let cuts: [(StoppingRecordStore.Moment?, Int?)] =
                    [(.before, nil), (.after, nil)] + (0...3).map { (nil, $0) }
                for (number, (moment, deleted)) in cuts.enumerated() {
                    let shared = device.folder.appendingPathComponent("shared-\(number)")
                    let handOver = HandOver(folder: shared)
                    try handOver.put(PostDraft(text: "Post \(number)", photos: photos()))
                    if let moment {
                        let store = LocalStore(
                            client: device.client, records: StoppingRecordStore(store: records, moment: moment),
                            folder: device.folder.appendingPathComponent("photos"))
                        switch moment {
                        case .before:
                            await #expect(throws: StoppingRecordStore.Stop.self) {
                                try await store.adoptPosts(from: handOver)
                            }
                            #expect(names(shared).count == 1)
                        case .after: #expect(try await store.adoptPosts(from: handOver).setAside.isEmpty)
                        }
                    }
                    if let deleted {
                        let name = try #require(names(shared).first)
                        let (post, copy) = (
                            shared.appendingPathComponent(name), device.folder.appendingPathComponent(name)
                        )
                        try manager.copyItem(at: post, to: copy)
                        #expect(try await device.store.adoptPosts(from: handOver).posts.count == 1)
                        try manager.moveItem(at: copy, to: post)
                        for file in names(post).prefix(deleted) {
                            try manager.removeItem(at: post.appendingPathComponent(file))
                        }
                    }
                    let adoption = try await device.store.adoptPosts(from: handOver)
                    #expect(adoption.posts.count == (moment == .before ? 1 : 0) && adoption.setAside.isEmpty)
                    #expect(names(shared).isEmpty)
                    #expect(try await device.store.adoptPosts(from: handOver).posts.isEmpty)
                }
                let expected = cuts.indices.map { "Post \($0)" }
                #expect(try await texts(device.store) == expected)
                try await device.online { try await device.untilSent() }
                let published = try await device.client.posts().value.elements
                #expect(published.reversed().map(\.text) == expected && published.allSatisfy { $0.photos.count == 2 })
                await records.close()
            }
        }
    }

    @Test("A post that was adopted by an app whose store is lost is not published again by the next one")
    func lostStore() async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { first in
                let shared = first.folder.appendingPathComponent("shared")
                try HandOver(folder: shared).put(PostDraft(text: "Once", photos: photos()))
                let copy = first.folder.appendingPathComponent("copy")
                try FileManager.default.copyItem(at: shared, to: copy)
                for folder in [shared, copy] {
                    try await Device.run("ann", of: service) { device in
                        #expect(try await device.store.adoptPosts(from: HandOver(folder: folder)).posts.count == 1)
                        try await device.online { try await device.untilSent() }
                    }
                }
                #expect(try await first.client.posts().value.elements.map(\.text) == ["Once"])
            }
        }
    }

    @Test("Two processes that adopt at once make each post once")
    func twoProcesses() async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                let shared = device.folder.appendingPathComponent("shared")
                let handOver = HandOver(folder: shared)
                let expected = (0..<20).map { "Post \($0)" }
                for text in expected { try handOver.put(PostDraft(text: text, photos: photos())) }
                let records = try await SQLiteRecordStore(
                    path: device.folder.appendingPathComponent("store.sqlite").path)
                let other = LocalStore(
                    client: device.client, records: records, folder: device.folder.appendingPathComponent("photos"))
                async let theirs = other.adoptPosts(from: handOver)
                let (mine, others) = try await (device.store.adoptPosts(from: handOver), theirs)
                let subjects = (mine.posts + others.posts).map(\.subject)
                #expect(subjects.count == 20 && Set(subjects).count == 20)
                #expect(mine.setAside.isEmpty && others.setAside.isEmpty && names(shared).isEmpty)
                let posts = try await first(device.store.feed(screenCount: 20).snapshots()) { _ in true }.posts
                #expect(posts.count == 20 && Set(posts.map(\.post.text)) == Set(expected))
                let files = posts.flatMap(\.photoFiles.values)
                #expect(
                    Set(files.map(\.lastPathComponent)) == Set(names(device.folder.appendingPathComponent("photos"))))
                #expect(files.count == 40)
                await records.close()
            }
        }
    }

    private typealias Damage = @Sendable (_ post: URL, _ photo: URL) throws -> Void

    /// Ways to damage a post that was put, with a part of the reason for which it is set aside.
    private static let cases: [(reason: String, damage: Damage)] = [
        ("cannot be read", { post, _ in try Data("{".utf8).write(to: post.appendingPathComponent("post.json")) }),
        (
            "no post.json",
            { post, _ in try FileManager.default.removeItem(at: post.appendingPathComponent("post.json")) }
        ),
        (
            "2000000 bytes",
            { post, _ in
                try Data(count: 2_000_000).write(to: post.appendingPathComponent("post.json"))
            }
        ),
        ("there is no ", { _, photo in try FileManager.default.removeItem(at: photo) }),
        (
            "has lost its bytes",
            { _, photo in
                try FileManager.default.removeItem(at: photo)
                try Data().write(to: photo)
            }
        ),
        (
            "is not a file",
            { _, photo in
                try FileManager.default.removeItem(at: photo)
                try FileManager.default.createSymbolicLink(at: photo, withDestinationURL: Fixtures.photo)
            }
        ),
        (
            "is not a name of a photo",
            { post, photo in
                let manifest = post.appendingPathComponent("post.json")
                let text = try String(contentsOf: manifest, encoding: .utf8)
                try text.replacingOccurrences(of: photo.lastPathComponent, with: "../x.jpg").write(
                    to: manifest, atomically: false, encoding: .utf8)
            }
        ),
        (
            "not a post of a hand-over",
            { post, _ in
                let foreign = post.deletingLastPathComponent().appendingPathComponent("notes.txt")
                try FileManager.default.moveItem(at: post, to: foreign)
            }
        ),
    ]

    @Test("An entry that cannot become a post is set aside with its reason, and stops no post")
    func faults() async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                for (number, (reason, damage)) in Self.cases.enumerated() {
                    let shared = device.folder.appendingPathComponent("shared-\(number)")
                    let handOver = HandOver(folder: shared)
                    try handOver.put(PostDraft(text: "Damaged", photos: photos()))
                    let post = shared.appendingPathComponent(try #require(names(shared).first))
                    try damage(post, post.appendingPathComponent(try #require(names(post).first { $0 != "post.json" })))
                    try handOver.put(PostDraft(text: "Good \(number)"))
                    let adoption = try await device.store.adoptPosts(from: handOver)
                    #expect(adoption.posts.count == 1 && names(shared) == ["set-aside"], "\(reason)")
                    let aside = try #require(adoption.setAside.first)
                    #expect(aside.reason.contains(reason) && FileManager.default.fileExists(atPath: aside.place.path))
                    let note = aside.place.appendingPathExtension("reason")
                    #expect(try String(contentsOf: note, encoding: .utf8) == aside.reason + "\n")
                }
                #expect(try await texts(device.store) == Self.cases.indices.map { "Good \($0)" })
            }
        }
    }

    @Test("A post that cannot be put leaves nothing, and one that nobody can adopt stays")
    func errors() async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                let shared = device.folder.appendingPathComponent("shared")
                let handOver = HandOver(folder: shared)
                #expect(try await device.store.adoptPosts(from: handOver).posts.isEmpty)
                let missing = PhotoDraft(file: device.folder.appendingPathComponent("none.jpg"))
                #expect(throws: (any Error).self) { try handOver.put(PostDraft(photos: [missing])) }
                #expect(names(shared).isEmpty)
                try handOver.put(PostDraft(text: "Waits"))
                try await device.client.session.signOut()
                await #expect(throws: SessionError.signedOut) { try await device.store.adoptPosts(from: handOver) }
                #expect(names(shared).count == 1)
            }
        }
    }
}
