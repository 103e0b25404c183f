import DaemonSupport
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

@Suite("Empty feeds", .timeLimit(.minutes(2)))
struct EmptyFeedTests {
    @Test("Their readers learn that there is no post to wait for")
    func complete() async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await Device.run("ann", of: service) { device in
                let feed = device.store.feed()
                #expect(try await first(feed.snapshots()) { _ in true }.hasOlder)
                let read = try await device.online { try await first(feed.snapshots()) { !$0.hasOlder } }
                #expect(read.posts.isEmpty)
            }
        }
    }
}
