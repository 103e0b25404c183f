import NIOCore
import NIOTLS
import Synchronization

/// The connections whose TLS handshake is not finished, at most so many: when one more comes, the oldest is closed.
///
/// Whoever opens connections and then says nothing would otherwise take the room of those who speak. These finish in a
/// moment, before they are the oldest.
final class HandshakeQueue: Sendable {
    private struct State {
        /// The connections, by the numbers in whose order they came.
        var waiting: [Int: any Channel] = [:]
        /// A number below which none is waiting.
        var oldest = 0
        var next = 0
    }

    /// How long a handshake may take.
    let patience: TimeAmount
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: How many handshakes may go on at once, 1 at least.
    init(limit: Int, patience: TimeAmount) {
        self.limit = max(1, limit)
        self.patience = patience
    }

    /// How many handshakes go on.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Begins a handshake, for which the oldest may have to end.
    ///
    /// - Returns: Its number, for ``leave(_:)``.
    func enter(_ channel: any Channel) -> Int {
        let (number, oldest) = state.withLock { state in
            defer { state.next += 1 }
            state.waiting[state.next] = channel
            return (state.next, state.waiting.count > limit ? Self.takeOldest(of: &state) : nil)
        }
        oldest?.close(promise: nil)
        return number
    }

    /// Ends a handshake, which has succeeded or failed.
    func leave(_ number: Int) {
        _ = state.withLock { $0.waiting.removeValue(forKey: number) }
    }

    private static func takeOldest(of state: inout State) -> (any Channel)? {
        while state.oldest < state.next {
            defer { state.oldest += 1 }
            if let channel = state.waiting.removeValue(forKey: state.oldest) { return channel }
        }
        return nil
    }
}

/// Closes a connection whose client does not finish the TLS handshake in time, and goes once it has.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let queue: HandshakeQueue
    private var number: Int?
    private var deadline: Scheduled<Void>?

    init(_ queue: HandshakeQueue) { self.queue = queue }

    func handlerAdded(context: ChannelHandlerContext) {
        number = queue.enter(context.channel)
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: queue.patience) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        if let number { queue.leave(number) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        guard case .handshakeCompleted? = event as? TLSUserEvent else { return }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
