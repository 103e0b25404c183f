import DaemonSupport
import Foundation
import Synchronization
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

/// A network that answers some requests that change something with the page of a hotel.
private final class PortalTransport: Transport {
    private let transport: any Transport
    private let answer: TransportResponse
    private let left = Mutex(0)

    init(_ transport: any Transport, _ answer: TransportResponse) {
        self.transport = transport
        self.answer = answer
    }

    /// Answers the next requests that change something.
    func begin(count: Int) { left.withLock { $0 = count } }

    /// The number of requests that are still to be answered so.
    var leftCount: Int { left.withLock(\.self) }

    func response(
        to request: TransportRequest, progress: (@Sendable (Int64) -> Void)?
    ) async throws -> TransportResponse {
        let isFalse = left.withLock { left in
            guard request.method != "GET", request.url.path.hasPrefix("/v1/p"), left > 0 else { return false }
            left -= 1
            return true
        }
        return isFalse ? answer : try await transport.response(to: request, progress: progress)
    }

    func stream(for request: TransportRequest) async throws -> TransportStream {
        try await transport.stream(for: request)
    }
}

@Suite("Networks that want a sign-in", .timeLimit(.minutes(2)))
struct PortalTests {
    private static let pages = [
        TransportResponse(status: 200, headers: ["Content-Type": "text/html"], body: Data("<html>".utf8)),
        TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: Data("{}".utf8)),
        TransportResponse(status: 204),
        TransportResponse(status: 302, headers: ["Location": "http://192.0.2.1/"]),
        TransportResponse(status: 511),
    ]

    @Test("Their page is no answer to a write", arguments: pages)
    func page(answer: TransportResponse) async throws {
        try await ServiceProcess.run { service in
            for uid in ["ann", "bob"] { try await service.addUser(uid) }
            try await URLSessionTransport.run { own in
                let portal = PortalTransport(own, answer)
                try await Device.run("ann", of: service, transport: portal, clock: HastyClock()) { device in
                    let client = device.client
                    let posts = [
                        try await client.publish(NewPost("Liked"), idempotencyKey: "1"),
                        try await client.publish(NewPost("Deleted"), idempotencyKey: "2"),
                    ].compactMap { if case .published(let post) = $0.value { post.id } else { nil } }
                    let comment = try await client.addComment("Deleted", to: posts[0], idempotencyKey: "3").value.id
                    try await device.store.loadComments(on: posts[0])
                    portal.begin(count: 12)
                    try await device.store.delete(comment, on: posts[0])
                    try await device.store.setLike(true, of: posts[0])
                    try await device.store.delete(posts[1])
                    try await device.store.setFollowing(true, of: "bob")
                    try await device.store.markAsRead()
                    try await device.online { try await device.untilSent() }
                    #expect(portal.leftCount == 0)
                    #expect(try await first(device.store.parkedWrites()) { _ in true }.isEmpty)
                    let left = try await client.posts().value.elements
                    #expect(left.map(\.id) == [posts[0]])
                    #expect(left.map(\.counts) == [Post.Counts(likes: 1, comments: 0)])
                    #expect(try await client.person("bob").value.isFollowed == true)
                }
            }
        }
    }
}
