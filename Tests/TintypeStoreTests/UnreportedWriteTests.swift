import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

@Suite("Writes on what synchronisation does not report", .timeLimit(.minutes(2)))
struct UnreportedWriteTests {
    @Test("They are applied nevertheless")
    func applied() async throws {
        try await ServiceProcess.run { service in
            for uid in ["ann", "bob"] { try await service.addUser(uid) }
            try await Device.run("ann", of: service) { ann in
                try await Device.run("bob", of: service, clock: HastyClock()) { bob in
                    let answer = try await ann.client.publish(NewPost("In no feed of Bob's"), idempotencyKey: "1")
                    guard case .published(let post) = answer.value else {
                        Issue.record("\(answer)")
                        return
                    }
                    try await bob.online {
                        _ = try await first(bob.store.feed().snapshots()) { !$0.hasOlder }
                        let like = try await bob.store.setLike(true, of: post.id)
                        #expect(try await first(like.states, where: \.isFinal) == .applied)
                        let profile = try await bob.store.changeProfile(bio: "Sees much")
                        #expect(try await first(profile.states, where: \.isFinal) == .applied)
                        let block = try await bob.store.setBlocking(true, of: "ann")
                        #expect(try await first(block.states, where: \.isFinal) == .applied)
                    }
                }
            }
        }
    }
}
