package import Access
package import HTTPTypes
import HummingbirdCore
package import NIOCore
package import NIOHTTPTypes

/// The part of the server that owns a connection once a request has taken it over: the connection carries no further
/// requests or responses. Bytes that the client sends afterwards are dropped, unless the owner adds a handler for them
/// (``TakenConnection/add(_:)``).
///
/// Used only on the connection's event loop.
package protocol ConnectionOwner: AnyObject {
    /// The identity that the owner acts as at present; nil once it has ended.
    var requester: Identity? { get }
    /// The status of its response.
    var status: Int { get }
    /// Begins: the owner has the connection from now on. All requests before have been answered.
    func begin(on connection: TakenConnection, eventLoop: any EventLoop)
    /// Ends: the connection is closed.
    func end()
    /// Closes the connection, because the server shuts down.
    func shutDown()
    /// Notes that the client sends no more.
    func inputEnded()
}

extension ConnectionOwner {
    /// Does nothing: the client may still read.
    package func inputEnded() {}
}

/// Hands a connection over to an owner, beginning with the request for which there is one.
///
/// Such a connection no longer takes part in HTTP: it costs only its socket and its owner. All other requests pass
/// unchanged.
package final class TakeoverHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    /// The decision about a request.
    package enum Choice {
        /// It is answered like any other request.
        case nobody
        /// The connection belongs to the owner, beginning with this request.
        case owner(any ConnectionOwner)
        /// The same, with an owner that is created on the connection's event loop.
        case opened(@Sendable (any EventLoop) -> any ConnectionOwner)
        /// The choice is repeated, once, after the closure has returned.
        case after(@Sendable () async -> Void)
    }

    /// Chooses the owner that takes the connection over with a request.
    package typealias OwnerChoice = @Sendable (_ request: HTTPRequest, _ client: ClientConnection) -> Choice

    private enum State {
        /// Requests pass; `unansweredCount` of them are not answered yet.
        case requests(unansweredCount: Int)
        /// A request waits for its choice, and nothing behind it is read; `unansweredCount` earlier requests are not
        /// answered yet.
        case undecided(unansweredCount: Int)
        /// The connection has an owner, but earlier requests must be answered first (RFC 9112, section 9.3.2).
        case queued(any ConnectionOwner, unansweredCount: Int)
        case taken(any ConnectionOwner)
        case closed
    }

    private let owner: OwnerChoice
    private let client: ClientConnection
    private var state = State.requests(unansweredCount: 0)
    /// The parts that arrived with the request that waits for its choice, up to where the reading stopped.
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
        // No handler is left to encode a response; it was to a request behind the owner's.
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
        // The task that waits for requests ends, and its memory is freed.
        context.fireErrorCaught(Preempted())
        context.read()
    }

    /// Does nothing once the connection is taken, because no handler above reads any more.
    package func channelReadComplete(context: ChannelHandlerContext) {
        guard case .taken = state else { return context.fireChannelReadComplete() }
        context.read()
    }

    /// Ignores handlers above, which can no longer close the connection; the owner closes it from below.
    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard case .taken = state else { return context.close(mode: mode, promise: promise) }
        promise?.fail(Preempted())
    }

    /// The error by which the task that answers requests learns that there will be no more.
    private struct Preempted: Error {}
}

/// A connection that was taken over; it writes bytes past all handlers that encode HTTP.
package final class TakenConnection: ChannelOutboundHandler, RemovableChannelHandler {
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    /// Whether writing has ended.
    private var isFinished = false
    /// The number of bytes that were written.
    package private(set) var byteCount = 0

    package func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    package func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Adds handlers that read what the client sends from now on, in the order in which they see it.
    ///
    /// - Throws: `ChannelError` when the connection is closed.
    package func add(_ handlers: [any ChannelHandler]) throws {
        guard let context else { throw ChannelError.ioOnClosedChannel }
        try context.pipeline.syncOperations.addHandlers(handlers, position: .after(self))
    }

    /// Stops automatic reading: the task that answered requests no longer asks for more, and would hold back what the
    /// channel reads. ``TakeoverHandler`` asks for more after each read, and TLS while a record is incomplete.
    ///
    /// The receive buffer is small, because there are many connections and most receive little. It grows for those that
    /// receive more.
    ///
    /// - Throws: `ChannelError` when the connection is closed.
    package func takeReading() throws {
        guard let options = context?.channel.syncOptions else { return }
        try options.setOption(.autoRead, value: false)
        try options.setOption(
            .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 256, maximum: 65_536))
    }

    package func write(_ bytes: ByteBuffer) {
        guard !isFinished else { return }
        byteCount += bytes.readableBytes
        context?.write(wrapOutboundOut(bytes), promise: nil)
    }

    package func flush() { context?.flush() }
    package func close() { context?.close(promise: nil) }

    /// Writes waiting bytes, then stops writing; closes the connection when the client has, or when the time is over. A
    /// connection that is closed while the client still sends is reset, and the client may never read the last bytes.
    package func finish(within patience: TimeAmount) {
        guard let context else { return }
        isFinished = true
        context.flush()
        context.close(mode: .output, promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: patience) { [weak self] in self?.close() }
    }

    /// Writes bytes; the future succeeds when the system has accepted them. A connection that takes longer is closed.
    ///
    /// - Returns: Nil when the connection is closed, or writing has ended.
    package func send(_ bytes: ByteBuffer, within patience: TimeAmount) -> EventLoopFuture<Void>? {
        guard let context, !isFinished else { return nil }
        byteCount += bytes.readableBytes
        let eventLoop = context.eventLoop.assumeIsolated()
        let deadline = eventLoop.scheduleTask(in: patience) { [weak self] in self?.close() }
        let promise = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
        promise.futureResult.assumeIsolated().whenComplete { _ in deadline.cancel() }
        return promise.futureResult
    }

    /// The number of bytes that the reader has not consumed yet; read only when there may be many.
    package var waitingBytes: Int {
        guard let channel = context?.channel, !channel.isWritable else { return 0 }
        return (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
