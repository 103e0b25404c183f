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
}
