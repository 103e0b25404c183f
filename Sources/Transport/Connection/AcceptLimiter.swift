import Glibc
package import NIOCore

/// Accepts no more connections than there is room for, and pauses when the system has no descriptors left.
///
/// Without the pause, the listening socket would stay readable, and accepting would fail, over and over. Clients that
/// are not accepted wait in the system's queue until a connection ends. A further connection from an address that has
/// too many is closed immediately.
package final class AcceptLimiter: ChannelInboundHandler {
    package typealias InboundIn = any Channel
    package typealias InboundOut = any Channel

    /// Counts a connection from an address until the returned lease is released; throws if the connection must be
    /// refused.
    package typealias Counting = @Sendable (_ end: SocketAddress?) throws -> ClientLimiter.Lease?

    /// The length of the pause when the system has no descriptors left; other programs may have used them up.
    private static let rest = TimeAmount.milliseconds(250)

    private let room: ConnectionLimiter
    /// The number of open connections, of all listeners, at which this listener accepts no more.
    private let limit: Int
    private let count: Counting
    private var isResting = false

    init(_ room: ConnectionLimiter, limit: Int, count: @escaping Counting) {
        self.room = room
        self.limit = limit
        self.count = count
    }

    /// Limits the connections that a listening channel accepts.
    ///
    /// - Parameters:
    ///   - room: Counts the open connections of all listeners.
    ///   - limit: The number of open connections, of all listeners, at which this listener accepts no more.
    ///   - count: Counts the connections of each address.
    package static func guardConnections(
        of channel: any Channel, _ room: ConnectionLimiter, limit: Int, count: @escaping Counting
    ) async {
        let gate = channel.eventLoop.submit {
            let limiter = AcceptLimiter(room, limit: limit, count: count)
            try channel.pipeline.syncOperations.addHandler(limiter, position: .first)
        }
        try? await gate.get()  // A channel that is already closed accepts nothing.
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let connection = unwrapInboundIn(data)
        let lease: ClientLimiter.Lease?
        do {
            lease = try count(connection.remoteAddress)
        } catch {
            return connection.close(promise: nil)
        }
        let isLocal = connection.localAddress?.protocol == .unix
        room.enter(isLocal: isLocal)
        let room = room
        connection.closeFuture.whenComplete { _ in withExtendedLifetime(lease) { room.leave(isLocal: isLocal) } }
        if room.count >= limit { rest(context) }
        context.fireChannelRead(data)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        rest(context)
        let bound = NIOLoopBound((gate: self, context: context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.rest) { bound.value.gate.wake(bound.value.context) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) { room.stopWaiting(self) }

    private func rest(_ context: ChannelHandlerContext) {
        guard !isResting else { return }
        isResting = true
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        let bound = NIOLoopBound((gate: self, context: context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        room.wait(self) { eventLoop.execute { bound.value.gate.wake(bound.value.context) } }
    }

    private func wake(_ context: ChannelHandlerContext) {
        guard isResting, room.count < limit, context.channel.isActive else { return }
        isResting = false
        room.stopWaiting(self)
        try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }
}
