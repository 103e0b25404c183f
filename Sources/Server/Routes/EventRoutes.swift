import HTTPTypes
import Hummingbird
import NIOCore
import Pipeline
import Posts
import ServiceLifecycle
import Tree

/// `/v1/posts/events`: new posts as they are committed, as server-sent events (WHATWG HTML §9.2).
struct EventRoutes: Sendable {
    /// By how many events a reader may fall behind before it is cut off.
    private static let bufferLimit = 256

    private let tree: TreeStore
    private let keepAliveInterval: Duration

    init(_ tree: TreeStore, keepAlive interval: Duration) {
        self.tree = tree
        keepAliveInterval = interval
    }

    func add(to router: Router<RequestContext>) {
        router.resource("v1/posts/events", [.get: follow])
    }

    @Sendable private func follow(_ request: Request, _ context: RequestContext) async throws -> Response {
        _ = try FormFields(queryOf: request.uri, names: [])
        let posts = try await tree.subscribe(to: Paths.posts, bufferLimit: Self.bufferLimit, readsValue: false)
        let headers: HTTPFields = [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                let messages = Messages(limit: Self.bufferLimit)
                messages.send(": new posts follow\n\n")
                try await request.body.consumeWithInboundCloseHandler { _ in
                    try await write(messages, of: posts, to: &writer)
                } onInboundClosed: {
                    messages.finish()
                }
                try await writer.finish(nil)
            })
    }

    /// Writes until the reader goes, the service stops, or the reader has fallen too far behind.
    private func write(
        _ messages: Messages, of posts: Subscription, to writer: inout any ResponseBodyWriter
    ) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask(name: "new posts") { await messages.sendPosts(of: posts) }
            group.addTask(name: "keep-alive") {
                while true {
                    try await Task.sleep(for: keepAliveInterval)
                    messages.send(": keep-alive\n\n")
                }
            }
            defer { group.cancelAll() }
            for try await message in messages.stream.cancelOnGracefulShutdown() {
                try await writer.write(message)
            }
        }
    }
}

/// What one reader has still to be sent; bounded.
private struct Messages: Sendable {
    let stream: AsyncThrowingStream<ByteBuffer, any Error>
    private let continuation: AsyncThrowingStream<ByteBuffer, any Error>.Continuation

    init(limit: Int) {
        (stream, continuation) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingOldest(limit))
    }

    /// Sends one message, or cuts the reader off when it is too far behind to miss nothing.
    func send(_ message: String) {
        if case .dropped = continuation.yield(ByteBuffer(string: message)) {
            continuation.finish(throwing: TreeError(.overflow, "the reader is too slow"))
        }
    }

    func sendPosts(of posts: Subscription) async {
        do {
            for try await change in posts {
                for (id, post) in change.newPosts {
                    if let fault = PostShape.fault(of: post) {
                        send(": posts/\(id) is no post: \(fault)\n\n")
                        continue
                    }
                    let data: TreeValue = ["path": .string("/\(id)"), "data": post]
                    let json = String(decoding: data.json(), as: UTF8.self)
                    send("event: put\nid: \(change.token)\ndata: \(json)\n\n")
                }
            }
            finish()
        } catch {
            continuation.finish(throwing: error)
        }
    }

    func finish() {
        continuation.finish()
    }
}

extension Change {
    /// The posts that were written whole; changes within one, such as other renditions, are no news.
    fileprivate var newPosts: [(id: TreeKey, post: TreeValue)] {
        writes.compactMap { write in
            guard write.path.depth == 1, let id = write.path.lastKey, let post = write.value else { return nil }
            return (id, post)
        }
    }
}
