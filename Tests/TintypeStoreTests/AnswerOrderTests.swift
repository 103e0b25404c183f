import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

@Suite("Answers in an unusual order", .timeLimit(.minutes(2)))
struct AnswerOrderTests {
    @Test("A write ends also when the device has read its effect before its answer")
    func lateAnswer() async throws {
        try await ServiceProcess.run { service in
            for uid in ["ann", "bob"] { try await service.addUser(uid) }
            try await URLSessionTransport.run { own in
                let gate = GatedTransport(own) { $0.method == "PUT" }
                try await Device.run("ann", of: service, transport: gate) { ann in
                    try await Device.run("bob", of: service) { bob in
                        try await ann.online {
                            let post = try await ann.store.publish(PostDraft(text: "First")).subject
                            let shown = try await first(ann.store.post(post)) { $0?.state == .upToDate }
                            let id = try #require(shown?.post.id)
                            let like = try await ann.store.setLike(true, of: post)
                            await gate.untilHeld()
                            _ = try await bob.client.setLike(true, of: id, by: "bob")
                            _ = try await first(ann.store.post(post)) { $0?.post.counts?.likes == 2 }
                            gate.open()
                            #expect(try await first(like.states, where: \.isFinal) == .applied)
                        }
                    }
                }
            }
        }
    }

    @Test("A comment that the device reads before the answer to it is shown once")
    func readComment() async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await URLSessionTransport.run { own in
                let gate = GatedTransport(own) { $0.method == "POST" && $0.url.path.hasSuffix("/comments") }
                try await Device.run("ann", of: service, transport: gate) { ann in
                    let post = try await ann.store.publish(PostDraft(text: "First")).subject
                    try await ann.online {
                        try await ann.untilSent()
                        let seen = Task { [store = ann.store] in
                            var counts: [Int] = []
                            for try await comments in store.comments(on: post) {
                                counts.append(comments.count)
                                if comments.last?.comment.id.isLocal == false { break }
                            }
                            return counts
                        }
                        let comment = try await ann.store.comment("Mine", on: post)
                        await gate.untilHeld()
                        // The device reads the comment, as somebody else's comment would make it do.
                        try await ann.store.loadComments(on: post)
                        #expect(try await seen.value.allSatisfy { $0 <= 1 })
                        #expect(try await first(comment.states) { _ in true } != .queued)
                        gate.open()
                        _ = try await first(comment.states, where: \.isFinal)
                        let shown = try await first(ann.store.comments(on: post)) { _ in true }
                        #expect(shown.map(\.id) == [comment.subject])
                    }
                }
            }
        }
    }
}
