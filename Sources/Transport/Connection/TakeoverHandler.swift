package import HTTPTypes
import HummingbirdCore
package import NIOCore
package import NIOHTTPTypes

/// The part of the server that a connection belongs to once a request has taken it over: nothing on the connection is a
/// request or an answer any more. What the client sends from then on is dropped, unless the owner puts a handler there
/// (``TakenConnection/add(_:)``).
///
/// Used on the connection's event loop alone.
package protocol ConnectionOwner: AnyObject {
    /// Begins: the connection is the owner's from now on. All requests before have been answered.
    func begin(on connection: TakenConnection, eventLoop: any EventLoop)
    /// Ends: the connection is closed.
    func end()
    /// Closes the connection, because the server shuts down.
    func shutDown()
    /// Learns that the client sends no more.
    func inputEnded()
}

extension ConnectionOwner {
    /// Goes on: the client may read still.
    package func inputEnded() {}
}

/// Hands a connection over to an owner from the request on for which there is one.
///
/// Such a connection leaves the ways of request and answer for good: it costs no more than its socket and its owner.
/// All other requests pass unseen.
package final class TakeoverHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    /// What becomes of a request.
    package enum Choice {
        /// It is answered as any other.
        case nobody
        /// The connection is the owner's from the request on.
        case owner(any ConnectionOwner)
        /// The same, with an owner that is made on the connection's event loop.
        case opened(@Sendable (any EventLoop) -> any ConnectionOwner)
        /// The choice is made anew when something is over, and only once.
        case after(@Sendable () async -> Void)
    }

    /// Who takes the connection over from a request on.
    package typealias OwnerChoice = @Sendable (_ request: HTTPRequest, _ client: ClientConnection) -> Choice

    private enum State {
        /// Requests pass; so many of them are not answered yet.
        case requests(unansweredCount: Int)
        /// A request waits for its choice, and nothing behind it is read; requests before it are not answered yet.
        case undecided(unansweredCount: Int)
        /// The connection has an owner behind requests that are to be answered first (RFC 9112, section 9.3.2).
        case queued(any ConnectionOwner, unansweredCount: Int)
        case taken(any ConnectionOwner)
        case closed
    }

    private let owner: OwnerChoice
    private let client: ClientConnection
    private var state = State.requests(unansweredCount: 0)
    /// What came with the request that waits for its choice, up to where the reading stopped.
    private var heldParts: [NIOAny] = []
    private var isInputEndHeld = false
    private var isReadHeld = false

    package init(_ owner: @escaping OwnerChoice, of client: ClientConnection) {
        self.owner = owner
        self.client = client
    }

    // MARK: Requests

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .requests:
            guard case .head(let request) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
            choose(for: request, mayWait: true, context)
        case .undecided: heldParts.append(data)
        case .queued, .taken, .closed: break
        }
    }

    package func read(context: ChannelHandlerContext) {
        guard case .undecided = state else { return context.read() }
        isReadHeld = true
    }

    private func choose(for request: HTTPRequest, mayWait: Bool, _ context: ChannelHandlerContext) {
        guard case .requests(let unansweredCount) = state else { return }
        switch owner(request, client) {
        case .after(let end) where mayWait:
            state = .undecided(unansweredCount: unansweredCount)
            let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            context.eventLoop.makeFutureWithTask(end).whenComplete { _ in
                bound.value.handler.chooseAgain(for: request, bound.value.context)
            }
        case .nobody, .after:
            state = .requests(unansweredCount: unansweredCount + 1)
            context.fireChannelRead(wrapInboundOut(.head(request)))
        case .owner(let owner): give(to: owner, behind: unansweredCount, context)
        case .opened(let open): give(to: open(context.eventLoop), behind: unansweredCount, context)
        }
    }

    private func give(to owner: any ConnectionOwner, behind unansweredCount: Int, _ context: ChannelHandlerContext) {
        if unansweredCount > 0 {
            state = .queued(owner, unansweredCount: unansweredCount)
        } else {
            handOver(to: owner, context)
        }
    }

    private func chooseAgain(for request: HTTPRequest, _ context: ChannelHandlerContext) {
        guard case .undecided(let unansweredCount) = state else { return }
        state = .requests(unansweredCount: unansweredCount)
        choose(for: request, mayWait: false, context)
        let parts = heldParts
        heldParts = []
        for part in parts { channelRead(context: context, data: part) }
        context.fireChannelReadComplete()
        if case .undecided = state { return }
        if isInputEndHeld { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        if isReadHeld { context.read() }
        (isInputEndHeld, isReadHeld) = (false, false)
    }

    // MARK: Answers

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch state {
        case .requests, .undecided, .queued: context.write(data, promise: promise)
        // Nobody is left who would make bytes of an answer; it was to something behind the owner's request.
        case .taken, .closed: return promise?.fail(ChannelError.ioOnClosedChannel) ?? ()
        }
        guard case .end = unwrapOutboundIn(data) else { return }
        switch state {
        case .requests(let count): state = .requests(unansweredCount: count - 1)
        case .undecided(let count): state = .undecided(unansweredCount: count - 1)
        case .queued(let owner, let count) where count > 1: state = .queued(owner, unansweredCount: count - 1)
        case .queued(let owner, _):
            context.flush()
            handOver(to: owner, context)
        case .taken, .closed: break
        }
    }

    // MARK: The connection

    package func channelInactive(context: ChannelHandlerContext) {
        if case .taken(let owner) = state { owner.end() }
        state = .closed
        heldParts = []
        context.fireChannelInactive()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch (state, event) {
        case (.taken(let owner), is ChannelShouldQuiesceEvent): return owner.shutDown()
        case (.taken(let owner), ChannelEvent.inputClosed): return owner.inputEnded()
        case (.undecided, ChannelEvent.inputClosed): return isInputEndHeld = true
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func handOver(to owner: any ConnectionOwner, _ context: ChannelHandlerContext) {
        state = .taken(owner)
        do {
            let connection = try HTTPConnection.takeOver(context.pipeline.syncOperations)
            owner.begin(on: connection, eventLoop: context.eventLoop)
        } catch {
            context.close(promise: nil)
        }
        // The task that waits for requests ends, and the memory that it holds is free.
        context.fireErrorCaught(Preempted())
        context.read()
    }

    /// Nobody above asks for more once the connection is taken.
    package func channelReadComplete(context: ChannelHandlerContext) {
        guard case .taken = state else { return context.fireChannelReadComplete() }
        context.read()
    }

    /// What stood above has no part in the connection any more, and cannot close it; the owner does so from below.
    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard case .taken = state else { return context.close(mode: mode, promise: promise) }
        promise?.fail(Preempted())
    }

    /// What the task that answers requests is told when there will be none any more.
    private struct Preempted: Error {}
}

/// A connection that was taken over: writes bytes past all that would make an HTTP answer of them.
package final class TakenConnection: ChannelOutboundHandler, RemovableChannelHandler {
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    /// Whether nothing more is written.
    private var isFinished = false

    package func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    package func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Puts handlers there that read what the client sends from now on, in the order in which they see it.
    ///
    /// - Throws: `ChannelError` when the connection is gone.
    package func add(_ handlers: [any ChannelHandler]) throws {
        guard let context else { throw ChannelError.ioOnClosedChannel }
        try context.pipeline.syncOperations.addHandlers(handlers, position: .after(self))
    }

    /// Has nothing read by itself any more: the task that answered requests asks for no more, and holds what the channel would
    /// read. ``TakeoverHandler`` asks after all that came, and TLS while a record has come in part.
    ///
    /// The buffer for what the client sends is small: most say little, and there are many. It grows for those that say more.
    ///
    /// - Throws: `ChannelError` when the connection is gone.
    package func takeReading() throws {
        guard let options = context?.channel.syncOptions else { return }
        try options.setOption(.autoRead, value: false)
        try options.setOption(
            .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 256, maximum: 65_536))
    }

    package func write(_ bytes: ByteBuffer) {
        guard !isFinished else { return }
        context?.write(wrapOutboundOut(bytes), promise: nil)
    }

    package func flush() { context?.flush() }
    package func close() { context?.close(promise: nil) }

    /// Writes what is waiting, and nothing after it; closes the connection when the client has, or its time is over. One that is
    /// closed while the client still sends is reset, and the client may never read what was written last.
    package func finish(within patience: TimeAmount) {
        guard let context else { return }
        isFinished = true
        context.flush()
        context.close(mode: .output, promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: patience) { [weak self] in self?.close() }
    }

    /// Writes bytes; the future is when the system has taken them. A connection that takes longer is closed.
    ///
    /// - Returns: Nil when the connection is gone, or nothing more is written.
    package func send(_ bytes: ByteBuffer, within patience: TimeAmount) -> EventLoopFuture<Void>? {
        guard let context, !isFinished else { return nil }
        let eventLoop = context.eventLoop.assumeIsolated()
        let deadline = eventLoop.scheduleTask(in: patience) { [weak self] in self?.close() }
        let promise = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
        promise.futureResult.assumeIsolated().whenComplete { _ in deadline.cancel() }
        return promise.futureResult
    }

    /// The bytes that the reader has not taken yet; asked for only when there are many.
    package var waitingBytes: Int {
        guard let channel = context?.channel, !channel.isWritable else { return 0 }
        return (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
