import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

@Suite("Views that are followed while they are open", .timeLimit(.minutes(5)))
struct OpenViewTests {
    private func withDevice(_ body: (Device, ServiceClient) async throws -> Void) async throws {
        try await ServiceProcess.run { service in
            for uid in ["ann", "bob"] { try await service.addUser(uid) }
            try await Device.run("ann", of: service) { ann in
                try await Device.run("bob", of: service) { bob in try await body(ann, bob.client) }
            }
        }
    }

    private func texts(_ snapshot: PostFeed.Snapshot) -> [String?] { snapshot.posts.map(\.post.text) }

    @Test("The posts of a person are read by pages, follow changes and deletions, and stay without a network")
    func profile() async throws {
        try await withDevice { ann, bob in
            for number in 0..<45 { _ = try await bob.publish(NewPost("Post \(number)")) }
            let expected = (0..<45).reversed().map { Optional("Post \($0)") }
            let profile = ann.store.posts(by: "bob")
            try await ann.online {
                let newest = try await first(profile.snapshots()) { $0.posts.count >= 18 }
                #expect(texts(newest) == Array(expected.prefix(newest.posts.count)) && newest.hasOlder)
                var shown = profile.snapshots().makeAsyncIterator()
                var snapshot = try #require(try await shown.next())
                while snapshot.posts.count < 45 {
                    try await profile.show(try #require(snapshot.posts.last?.id))
                    snapshot = try #require(try await shown.next())
                }
                #expect(texts(snapshot) == expected)
                let id = try #require(snapshot.posts.first?.id)
                _ = try await bob.setLike(true, of: id, by: "bob")
                while snapshot.posts.first?.post.counts?.likes != 1 { snapshot = try #require(try await shown.next()) }
                _ = try await bob.deletePost(try #require(snapshot.posts.dropFirst().first?.id))
                while snapshot.posts.count == 45 { snapshot = try #require(try await shown.next()) }
                #expect(texts(snapshot) == [expected[0]] + expected.dropFirst(2))
            }
            let offline = try await first(ann.store.posts(by: "bob").snapshots()) { _ in true }
            #expect(texts(offline).prefix(3) == [expected[0], expected[2], expected[3]])
        }
    }

    @Test("The posts with a hashtag are read when they are shown")
    func hashtag() async throws {
        try await withDevice { ann, bob in
            for text in ["One #lake", "Two", "Three #Lake"] { _ = try await bob.publish(NewPost(text)) }
            try await ann.online {
                let shown = try await first(ann.store.posts(withHashtag: "Lake").snapshots()) { $0.posts.count == 2 }
                #expect(texts(shown) == ["Three #Lake", "One #lake"] && shown.hasNewer == false)
                _ = try await bob.publish(NewPost("Four #lake"))
                let later = try await first(ann.store.posts(withHashtag: "lake").snapshots()) { $0.posts.count == 3 }
                #expect(texts(later).first == "Four #lake")
            }
        }
    }

    @Test("The comments of an open post follow what others write, change and delete")
    func comments() async throws {
        try await withDevice { ann, bob in
            let post = try await bob.publish(NewPost("Talk")).value
            guard case .published(let published) = post else { throw CancellationError() }
            try await ann.online {
                var shown = ann.store.comments(on: published.id).makeAsyncIterator()
                func next(_ expected: [String]) async throws {
                    while let comments = try await shown.next() {
                        if comments.map(\.comment.text) == expected { return }
                    }
                    throw CancellationError()
                }
                let comment = try await bob.addComment("First", to: published.id).value
                try await next(["First"])
                try await ann.store.comment("Mine", on: published.id)
                try await next(["First", "Mine"])
                _ = try await bob.editComment(comment.id, on: published.id, to: "Changed")
                try await next(["Changed", "Mine"])
                _ = try await bob.deleteComment(comment.id, on: published.id)
                try await next(["Mine"])
            }
        }
    }
}
