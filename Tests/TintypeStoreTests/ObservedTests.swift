#if canImport(Observation)
    import DaemonSupport
    import Foundation
    import Observation
    import Testing
    import TintypeClient
    import TintypeModel
    import TintypeStore

    @Suite("Models of SwiftUI", .timeLimit(.minutes(5)))
    @MainActor struct ObservedTests {
        private func withPeople(_ body: @MainActor (ServiceProcess) async throws -> Void) async throws {
            try await ServiceProcess.run { service in
                for uid in ["ann", "bob"] { try await service.addUser(uid) }
                try await body(service)
            }
        }

        @Test("A transaction of many changes is one change of a feed")
        func oneChange() async throws {
            try await withPeople { service in
                try await Device.run("ann", of: service) { ann in
                    try await Device.run("bob", of: service) { bob in
                        try await ann.store.setFollowing(true, of: "bob")
                        try await ann.online { try await ann.untilSent() }
                        for number in 0..<15 { _ = try await bob.client.publish(NewPost("Post \(number)")) }

                        let feed = ObservedFeed(ann.store.feed())
                        let posts = ChangeCount { feed.posts }
                        let run = Task { await feed.run() }
                        defer { run.cancel() }
                        try await ann.online { await until { feed.posts.count == 15 } }
                        #expect(posts.count == 1 && !feed.hasNewer && feed.error == nil)

                        for post in try await bob.client.posts().value.elements {
                            _ = try await bob.client.setLike(true, of: post.id, by: "bob")
                        }
                        try await ann.online { await until { feed.posts.allSatisfy { $0.post.counts?.likes == 1 } } }
                        #expect(posts.count == 2)
                    }
                }
            }
        }

        @Test("A value follows the store while it runs, and is let go afterwards")
        func value() async throws {
            try await withPeople { service in
                try await Device.run("ann", of: service) { device in
                    let id = try await device.store.publish(PostDraft(text: "First")).subject
                    var model: ObservedValue? = ObservedValue(device.store.post(id))
                    weak let released = model
                    #expect(model?.value == nil)
                    do {
                        let post = try #require(model)
                        let run = Task { await post.run() }
                        await until { post.value??.post.text == "First" }
                        let count = ChangeCount { post.value }
                        try await device.store.setLike(true, of: id)
                        await until { post.value??.post.isLiked == true }
                        #expect(count.count == 1 && post.error == nil)
                        run.cancel()
                        await run.value
                        try await device.store.setLike(false, of: id)
                        #expect(post.value??.post.isLiked == true)
                    }
                    model = nil
                    await until { released == nil }
                }
            }
        }

        @Test("A feed without a network keeps its posts, and says why it cannot load")
        func error() async throws {
            try await withPeople { service in
                try await Device.run("ann", of: service) { device in
                    try await device.store.publish(PostDraft(text: "Here"))
                    let feed = ObservedFeed(device.store.feed())
                    let run = Task { await feed.run() }
                    defer { run.cancel() }
                    await until { feed.posts.count == 1 }
                    await service.stop()
                    await feed.loadOlder()
                    #expect(feed.error != nil && feed.posts.map(\.post.text) == ["Here"])
                    try await service.start()
                    await feed.loadOlder()
                    #expect(feed.error == nil && feed.posts.map(\.post.text) == ["Here"])
                }
            }
        }

        @Test("A store that cannot be read is an error of the model")
        func closed() async throws {
            try await withPeople { service in
                let device = try await Device.run("ann", of: service) { $0 }
                let count = ObservedValue(device.store.unsentCount())
                await count.run()
                #expect(count.error as? RecordStoreError == .closed && count.value == nil)
                let feed = ObservedFeed(device.store.feed())
                await feed.run()
                #expect(feed.error as? RecordStoreError == .closed)
            }
        }
    }

    /// The number of changes of what a closure reads.
    @MainActor private final class ChangeCount<Value> {
        private(set) var count = 0
        private let read: () -> Value

        init(_ read: @escaping () -> Value) {
            self.read = read
            track()
        }

        private func track() {
            _ = withObservationTracking {
                read()
            } onChange: { [weak self] in
                MainActor.assumeIsolated {
                    self?.count += 1
                    self?.track()
                }
            }
        }
    }

    /// Waits until a condition is met. A test's time limit ends it otherwise.
    @MainActor private func until(_ condition: () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }
#endif
