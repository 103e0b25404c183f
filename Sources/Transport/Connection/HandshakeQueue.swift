import NIOCore
import NIOTLS
import Synchronization

/// The connections whose TLS handshake is unfinished; beyond the limit, the oldest is closed when another arrives.
///
/// Clients that open connections and then stay silent would otherwise use up the room. Other clients finish in a
/// moment, before they are the oldest.
final class HandshakeQueue: Sendable {
    private struct State {
        /// The connections, by number in order of arrival.
        var waiting: [Int: any Channel] = [:]
        /// A number below which no connection waits.
        var oldest = 0
        var next = 0
    }

    /// The longest time for a handshake.
    let patience: TimeAmount
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The largest number of concurrent handshakes, at least 1.
    init(limit: Int, patience: TimeAmount) {
        self.limit = max(1, limit)
        self.patience = patience
    }

    /// The number of unfinished handshakes.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Begins a handshake; closes the oldest one if the limit is exceeded.
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

    /// Ends a handshake that has succeeded or failed.
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

/// Closes a connection whose client does not finish the TLS handshake in time; removes itself once the handshake is
/// finished.
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
