import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

@Suite("Edited posts", .timeLimit(.minutes(2)))
struct EditedPostTests {
    @Test("A post keeps its position when it is edited")
    func position() async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await Device.run("ann", of: service) { device in
                try await device.online {
                    let post = try await device.store.publish(PostDraft(text: "First")).subject
                    let known = try await first(device.store.post(post)) { $0?.post.position != nil }
                    let edit = try await device.store.edit(post, text: "Second")
                    _ = try await first(edit.states, where: \.isFinal)
                    let edited = try await first(device.store.post(post)) { _ in true }
                    #expect(edited?.post.text == "Second" && edited?.post.position == known?.post.position)
                }
            }
        }
    }
}
