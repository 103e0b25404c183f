import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel

@testable import TintypeStore

@Suite("The connection of a device", .timeLimit(.minutes(5)))
struct ConnectionTests {
    @Test("A device knows whether it follows the service, and tries again at once when the person wishes it")
    func connection() async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await Device.run("ann", of: service) { device in
                #expect(try await first(device.store.connection()) { _ in true } == .connecting)
                try await device.online {
                    _ = try await first(device.store.connection()) { $0 == .connected }
                    await service.stop()
                    let offline = try await first(device.store.connection()) { $0 != .connected && $0 != .connecting }
                    guard case .disconnected(let error) = offline else {
                        Issue.record("\(offline)")
                        return
                    }
                    #expect(error.isTransient)
                    try await service.start()
                    device.store.refresh()
                    _ = try await first(device.store.connection()) { $0 == .connected }
                }
                #expect(try await first(device.store.connection()) { _ in true } == .connecting)
            }
        }
    }

    @Test("A wish to try again ends the wait after a failed attempt")
    func refresh() async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await Device.run("ann", of: service) { device in
                let waiting = Task { try await device.store.pause(.seconds(3600)) }
                let wishing = Task {
                    // The wait may not have begun yet.
                    while !Task.isCancelled {
                        device.store.refresh()
                        await Task.yield()
                    }
                }
                try await waiting.value
                wishing.cancel()
            }
        }
    }

    @Test("A post names the writes on it that are not sent yet")
    func unsentWrites() async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await Device.run("ann", of: service) { device in
                let post = try await device.store.publish(PostDraft(text: "First"))
                let like = try await device.store.setLike(true, of: post.subject)
                let offline = try await first(device.store.post(post.subject)) { _ in true }
                #expect(offline?.unsentWrites == [post.id, like.id].compactMap { $0 })
                try await device.online { try await device.untilSent() }
                let online = try await first(device.store.post(post.subject)) { _ in true }
                #expect(online?.unsentWrites == [])
            }
        }
    }
}
