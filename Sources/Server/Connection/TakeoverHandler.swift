import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// The part of the server that a connection belongs to once a request has taken it over: nothing on the connection is a
/// request or an answer any more. What the client sends from then on is dropped.
///
/// Used on the connection's event loop alone.
protocol ConnectionOwner: AnyObject {
    /// Begins: the connection is the owner's from now on. All requests before have been answered.
    func begin(on connection: TakenConnection, eventLoop: any EventLoop)
    /// Ends: the connection is closed.
    func end()
}

/// Hands a connection over to an owner from the request on for which there is one.
///
/// Such a connection leaves the ways of request and answer for good: it costs no more than its socket and its owner.
/// All other requests pass unseen.
final class TakeoverHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Who takes the connection over from a request on; nil when the request is answered as any other.
    typealias OwnerChoice = @Sendable (_ request: HTTPRequest, _ client: ClientConnection) -> (any ConnectionOwner)?

    private enum State {
        /// Requests pass; so many of them are not answered yet.
        case requests(unansweredCount: Int)
        /// The connection has an owner behind requests that are to be answered first (RFC 9112, section 9.3.2).
        case queued(any ConnectionOwner, unansweredCount: Int)
        case taken(any ConnectionOwner)
        case closed
    }

    private let owner: OwnerChoice
    private let client: ClientConnection
    private var state = State.requests(unansweredCount: 0)

    init(_ owner: @escaping OwnerChoice, of client: ClientConnection) {
        self.owner = owner
        self.client = client
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .requests(let unansweredCount) = state else { return }
        guard case .head(let request) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard let owner = owner(request, client) else {
            state = .requests(unansweredCount: unansweredCount + 1)
            return context.fireChannelRead(data)
        }
        guard unansweredCount == 0 else { return state = .queued(owner, unansweredCount: unansweredCount) }
        handOver(to: owner, context)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch state {
        case .requests, .queued: context.write(data, promise: promise)
        // Nobody is left who would make bytes of an answer; it was to something behind the owner's request.
        case .taken, .closed: return promise?.fail(ChannelError.ioOnClosedChannel) ?? ()
        }
        guard case .end = unwrapOutboundIn(data) else { return }
        switch state {
        case .requests(let count): state = .requests(unansweredCount: count - 1)
        case .queued(let owner, let count) where count > 1: state = .queued(owner, unansweredCount: count - 1)
        case .queued(let owner, _):
            context.flush()
            handOver(to: owner, context)
        case .taken, .closed: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .taken(let owner) = state { owner.end() }
        state = .closed
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, case .taken = state { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    private func handOver(to owner: any ConnectionOwner, _ context: ChannelHandlerContext) {
        state = .taken(owner)
        do {
            let connection = try HTTPConnection.takeOver(context.pipeline.syncOperations)
            owner.begin(on: connection, eventLoop: context.eventLoop)
        } catch {
            context.close(promise: nil)
        }
    }
}

/// A connection that was taken over: writes bytes past all that would make an HTTP answer of them.
final class TakenConnection: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func write(_ bytes: ByteBuffer) { context?.write(wrapOutboundOut(bytes), promise: nil) }
    func flush() { context?.flush() }
    func close() { context?.close(promise: nil) }

    /// Writes bytes; the future is when the system has taken them. A connection that takes longer is closed.
    ///
    /// - Returns: Nil when the connection is gone.
    func send(_ bytes: ByteBuffer, within patience: TimeAmount) -> EventLoopFuture<Void>? {
        guard let context else { return nil }
        let eventLoop = context.eventLoop.assumeIsolated()
        let deadline = eventLoop.scheduleTask(in: patience) { [weak self] in self?.close() }
        let promise = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
        promise.futureResult.assumeIsolated().whenComplete { _ in deadline.cancel() }
        return promise.futureResult
    }

    /// The bytes that the reader has not taken yet; asked for only when there are many.
    var waitingBytes: Int {
        guard let channel = context?.channel, !channel.isWritable else { return 0 }
        return (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
