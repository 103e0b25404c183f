import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

@Suite("The data that a person writes and sees on a device", .timeLimit(.minutes(5)))
struct LocalStoreTests {
    private func withPeople(_ body: (ServiceProcess) async throws -> Void) async throws {
        try await ServiceProcess.run { service in
            for uid in ["ann", "bob"] { try await service.addUser(uid) }
            try await body(service)
        }
    }

    @Test("A post is there at once, is sent later, and keeps its identity when it gets the service's id")
    func post() async throws {
        try await withPeople { service in
            try await Device.run("ann", of: service) { device in
                let submission = try await device.store.publish(PostDraft(text: "At the lake"))
                let feed = device.store.feed()
                let offline = try await first(feed.snapshots()) { _ in true }
                #expect(offline.posts.map(\.id) == [submission.subject] && submission.subject.isLocal)
                #expect(offline.posts.map(\.state) == [.toBeAdded] && offline.posts.map(\.post.text) == ["At the lake"])
                #expect(try await first(submission.states) { _ in true } == .queued)
                let online = try await device.online {
                    // The states end with the last one.
                    var states: [WriteState] = []
                    for try await state in submission.states { states.append(state) }
                    #expect(states.first == .queued && states.last == .applied)
                    return try await first(feed.snapshots()) { $0.posts.first?.state == .upToDate }
                }
                #expect(online.posts.map(\.id) == [submission.subject])
                let post = try #require(online.posts.first?.post)
                #expect(!post.id.isLocal && post.author.id == "ann" && post.position != nil)
                #expect(try await device.client.post(post.id).value.text == "At the lake")
                let both = try await first(device.store.post(post.id)) { _ in true }
                #expect(try await first(device.store.post(submission.subject)) { _ in true } == both && both != nil)
            }
        }
    }

    @Test("Likes and comments on a post that is not sent yet are sent after it")
    func chain() async throws {
        try await withPeople { service in
            try await Device.run("ann", of: service) { device in
                let post = try await device.store.publish(PostDraft(text: "First")).subject
                try await device.store.setLike(true, of: post)
                let comment = try await device.store.comment("Me too", on: post)
                try await device.store.edit(comment.subject, on: post, text: "Me three")
                let offline = try #require(try await first(device.store.post(post)) { _ in true })
                #expect(offline.post.isLiked == true && offline.post.counts == Post.Counts(likes: 1, comments: 1))
                #expect(
                    try await first(device.store.comments(on: post)) { _ in true }.map(\.comment.text) == ["Me three"])
                try await device.online {
                    _ = try await first(comment.states, where: \.isFinal)
                    try await device.untilSent()
                    let online = try await first(device.store.post(post)) {
                        $0?.state == .upToDate && $0?.post.counts?.likes == 1
                    }
                    #expect(online?.post.counts == Post.Counts(likes: 1, comments: 1) && online?.post.isLiked == true)
                    let id = try #require(online?.post.id)
                    #expect(try await device.client.comments(on: id).value.elements.map(\.text) == ["Me three"])
                    try await device.store.loadComments(on: post)
                    let shown = try await first(device.store.comments(on: post)) { $0.first?.state == .upToDate }
                    #expect(shown.map(\.id) == [comment.subject] && shown.map(\.comment.text) == ["Me three"])
                }
            }
        }
    }

    @Test("The actions of others appear without a request")
    func live() async throws {
        try await withPeople { service in
            try await Device.run("ann", of: service) { ann in
                try await Device.run("bob", of: service) { bob in
                    try await ann.online {
                        try await bob.online {
                            try await ann.store.setFollowing(true, of: "bob")
                            try await ann.untilSent()
                            let post = try await bob.store.publish(PostDraft(text: "From Bob")).subject
                            let seen = try await first(ann.store.feed().snapshots()) { !$0.posts.isEmpty }
                            #expect(seen.posts.map(\.post.text) == ["From Bob"])
                            let id = try #require(seen.posts.first?.id)
                            try await ann.store.setLike(true, of: id)
                            let liked = try await first(bob.store.post(post)) { $0?.post.counts?.likes == 1 }
                            #expect(liked?.post.isLiked == false)
                            let notes = try await first(bob.store.notifications()) { $0.unreadCount >= 2 }
                            #expect(Set(notes.notifications.map(\.kind)) == [.follow, .like])
                            try await bob.store.markAsRead()
                            let read = try await first(bob.store.notifications()) { $0.unreadCount == 0 }
                            #expect(read.notifications.allSatisfy { !$0.isUnread })
                            try await bob.store.edit(post, text: "From Bob, edited")
                            _ = try await first(ann.store.post(id)) { $0?.post.text == "From Bob, edited" }
                            try await bob.store.delete(post)
                            _ = try await first(ann.store.feed().snapshots()) { $0.posts.isEmpty }
                            _ = try await first(bob.store.feed().snapshots()) { $0.posts.isEmpty }
                        }
                    }
                }
            }
        }
    }

    @Test("A refused write waits with its reason, and stops no other one")
    func refusal() async throws {
        try await withPeople { service in
            try await Device.run("ann", of: service) { device in
                let missing = try await device.store.setLike(true, of: "-OaBcDeFgHiJkLmNoPqR")
                let post = try await device.store.publish(PostDraft(text: "After it"))
                try await device.online {
                    _ = try await first(post.states, where: \.isFinal)
                    let parked = try await first(device.store.parkedWrites()) { !$0.isEmpty }
                    #expect(parked.map(\.id) == [missing.id] && parked.map(\.post) == ["-OaBcDeFgHiJkLmNoPqR"])
                    guard case .refused(let problem) = parked.first?.reason else {
                        Issue.record("\(parked)")
                        return
                    }
                    #expect(problem.code == .notFound && !problem.message.isEmpty)
                    try await device.store.discard(try #require(missing.id))
                    _ = try await first(device.store.parkedWrites(), where: \.isEmpty)
                }
            }
        }
    }

    @Test("Only the last intention of a like is sent, and nothing if it is as before")
    func intentions() async throws {
        try await withPeople { service in
            try await Device.run("ann", of: service) { device in
                let post = try await device.store.publish(PostDraft(text: "Like me")).subject
                try await device.online { try await device.untilSent() }
                for isLiked in [true, false, true, false] { try await device.store.setLike(isLiked, of: post) }
                #expect(try await first(device.store.unsentCount()) { _ in true } <= 1)
                for isLiked in [true, false, true] { try await device.store.setLike(isLiked, of: post) }
                #expect(try await first(device.store.unsentCount()) { _ in true } == 1)
                try await device.online {
                    try await device.untilSent()
                    let online = try await first(device.store.post(post)) { $0?.post.counts?.likes == 1 }
                    #expect(online?.post.isLiked == true)
                }
            }
        }
    }

    @Test("Writes stay with their person over a sign-out, and are sent when the person is back")
    func people() async throws {
        try await withPeople { service in
            try await Device.run("ann", of: service) { device in
                try await device.store.publish(PostDraft(text: "By Ann"))
                try await device.client.session.signOut()
                await #expect(throws: SessionError.signedOut) {
                    try await device.store.publish(PostDraft(text: "By nobody"))
                }
                try await device.online {
                    try await device.client.session.signIn(
                        email: "bob@example.org", password: ServiceProcess.password(of: "bob"))
                    try await device.store.publish(PostDraft(text: "By Bob"))
                    try await device.untilSent()
                    #expect(try await device.client.posts().value.elements.map(\.author.id) == ["bob"])
                    try await device.client.session.signIn(
                        email: "ann@example.org", password: ServiceProcess.password(of: "ann"))
                    let feed = try await first(device.store.feed().snapshots()) { $0.posts.first?.state == .upToDate }
                    #expect(feed.posts.map(\.post.text) == ["By Ann"])
                    #expect(try await device.client.posts().value.elements.map(\.author.id) == ["ann", "bob"])
                }
                try await device.store.publish(PostDraft(text: "Not to be sent"))
                try await device.store.removeData(of: "ann")
                #expect(try await first(device.store.feed().snapshots()) { _ in true }.posts.isEmpty)
                #expect(try await first(device.store.unsentCount()) { _ in true } == 0)
            }
        }
    }

    @Test("Older notifications are read by pages, and stay without a network")
    func olderNotifications() async throws {
        try await ServiceProcess.run { service in
            for uid in ["ann", "bob"] { try await service.addUser(uid) }
            try await Device.run("bob", of: service) { bob in
                try await Device.run("ann", of: service) { ann in
                    for number in 0..<23 {
                        let key = "\(number)"
                        guard
                            case .published(let post) = try await ann.client.publish(
                                NewPost("Post \(number)"), idempotencyKey: key
                            ).value
                        else { throw CancellationError() }
                        _ = try await bob.client.setLike(true, of: post.id, by: "bob")
                    }
                    try await ann.online {
                        let newest = try await first(ann.store.notifications()) { !$0.notifications.isEmpty }
                        #expect(newest.notifications.count == 20 && newest.hasOlder && newest.unreadCount == 23)
                        #expect(try await ann.store.loadOlderNotifications() == false)
                        #expect(try await ann.store.loadOlderNotifications() == false, "there are no more")
                    }
                    let all = try await first(ann.store.notifications()) { _ in true }
                    #expect(all.notifications.count == 23 && !all.hasOlder)
                    #expect(all.notifications.map(\.id) == all.notifications.map(\.id).sorted(by: >))
                }
            }
        }
    }
}
