import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Tree

/// Turns a connection into an event stream of the database when its request asks for one.
///
/// Such a connection leaves the ways of request and answer for good: it costs no more than its socket, and an event
/// reaches it as bytes that all listeners share. The answer ends with the connection, so its events need no framing
/// (RFC 9112 §6.3). All other requests pass unseen.
final class EventStreamHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum State {
        /// Requests pass; so many of them are not answered yet.
        case requests(unansweredCount: Int)
        /// A stream was asked for behind requests that are to be answered first (RFC 9112, section 9.3.2).
        case queued(ListenRequest, unansweredCount: Int)
        /// What is there at first is being read, or sent; events that come meanwhile wait.
        case opening(waiting: [(token: SyncToken, message: ByteBuffer)], byteCount: Int)
        /// Events up to the token have been told.
        case open(after: SyncToken, maxWaitingBytes: Int)
        case closed
    }

    /// How far a reader may fall behind, in bytes beyond what was there at first.
    private static let maxWaitingBytes = 1 << 20

    private let streams: EventStreams
    private var state = State.requests(unansweredCount: 0)
    private var outlet: RawOutlet?
    private var removal: (() -> Void)?

    init(_ streams: EventStreams) { self.streams = streams }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .requests(let unansweredCount) = state else { return }
        guard case .head(let request) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard let source = streams.source(for: request, isTrusted: context.channel.localAddress?.protocol == .unix)
        else {
            state = .requests(unansweredCount: unansweredCount + 1)
            return context.fireChannelRead(data)
        }
        guard unansweredCount == 0 else { return state = .queued(source, unansweredCount: unansweredCount) }
        open(source, context)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch state {
        case .requests, .queued: context.write(data, promise: promise)
        // Nobody is left who would make bytes of an answer; it was to something behind the stream's request.
        case .opening, .open, .closed: return promise?.fail(ChannelError.ioOnClosedChannel) ?? ()
        }
        guard case .end = unwrapOutboundIn(data) else { return }
        switch state {
        case .requests(let count): state = .requests(unansweredCount: count - 1)
        case .queued(let source, let count) where count > 1: state = .queued(source, unansweredCount: count - 1)
        case .queued(let source, _):
            context.flush()
            open(source, context)
        case .opening, .open, .closed: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, outlet != nil { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    private func end() {
        state = .closed
        removal?()
        removal = nil
        outlet = nil
    }

    // MARK: Opening

    private func open(_ source: ListenRequest, _ context: ChannelHandlerContext) {
        state = .opening(waiting: [], byteCount: 0)
        let outlet = RawOutlet()
        self.outlet = outlet
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(outlet, position: .first)
        } catch {
            return context.close(promise: nil)
        }
        // Requests time out, streams do not.
        Self.remove(HTTPConnectionStateHandler.self, from: pipeline)
        // What reads and writes requests is of no use any more, from here towards the socket.
        Self.remove(HTTP1ToHTTPServerCodec.self, from: pipeline)
        Self.remove(HTTPServerPipelineHandler.self, from: pipeline)
        Self.remove(ByteToMessageHandler<HTTPRequestDecoder>.self, from: pipeline)
        Self.remove(HTTPResponseEncoder.self, from: pipeline)
        Self.remove(MessageHandler.self, from: pipeline)
        Self.remove(RequestFramer.self, from: pipeline)
        Self.remove(SlowReaderHandler.self, from: pipeline)
        removal = streams.open(self, on: source, eventLoop: context.eventLoop)
    }

    private static func remove<Handler: RemovableChannelHandler>(
        _ type: Handler.Type, from pipeline: ChannelPipeline.SynchronousOperations
    ) {
        guard let handler = try? pipeline.handler(type: type) else { return }
        pipeline.removeHandler(handler, promise: nil)
    }

    /// Begins with what was there.
    func begin(_ message: ByteBuffer, token: SyncToken) {
        begin()
        outlet?.write(message)
        goOn(after: token, waitingBytes: message.readableBytes)
    }

    /// Begins; what was there follows in pieces.
    func begin() { outlet?.write(EventStreamMessage.head) }

    /// Sends a piece of what was there.
    ///
    /// - Parameter patience: How long the client may take for it, before the stream is ended.
    /// - Returns: When it is taken; nil when the stream has ended.
    func send(_ piece: ByteBuffer, within patience: TimeAmount) -> EventLoopFuture<Void>? {
        outlet?.send(piece, within: patience)
    }

    /// Goes on with events, now that what was there has been told.
    func goOn(after token: SyncToken, waitingBytes: Int = 0) {
        guard case .opening(let waiting, _) = state, let outlet else { return }
        state = .open(after: token, maxWaitingBytes: Self.maxWaitingBytes + waitingBytes)
        for (token, message) in waiting { write(message, token: token) }
        outlet.flush()
    }

    /// Refuses the stream.
    func refuse(_ answer: ByteBuffer) {
        guard let outlet else { return }
        outlet.write(answer)
        outlet.flush()
        outlet.close()
        end()
    }

    // MARK: Events

    /// Hands an event on, unless it is part of what was there at first.
    func tell(_ message: ByteBuffer, token: SyncToken) {
        switch state {
        case .opening(var waiting, var byteCount):
            state = .closed  // so that the list is not copied
            waiting.append((token, message))
            byteCount += message.readableBytes
            state = .opening(waiting: waiting, byteCount: byteCount)
            if byteCount > Self.maxWaitingBytes { outlet?.close() }
        case .open:
            write(message, token: token)
            outlet?.flush()
        case .requests, .queued, .closed: break
        }
    }

    private func write(_ message: ByteBuffer, token: SyncToken) {
        guard case .open(let last, let maxWaitingBytes) = state, let outlet, token > last else { return }
        guard outlet.waitingBytes <= maxWaitingBytes else { return outlet.close() }
        state = .open(after: token, maxWaitingBytes: maxWaitingBytes)
        outlet.write(message)
    }

    /// Shows that the stream is alive.
    func keepAlive() {
        guard case .open(_, let maxWaitingBytes) = state, let outlet else { return }
        guard outlet.waitingBytes <= maxWaitingBytes else { return outlet.close() }
        outlet.write(EventStreamMessage.keepAlive)
        outlet.flush()
    }

    /// Ends the stream because what it listens to cannot be told any more.
    func cancel() {
        outlet?.write(EventStreamMessage.cancel)
        outlet?.flush()
        outlet?.close()
    }

    func close() { outlet?.close() }
}

/// Writes bytes to a connection past all that would make an HTTP answer of them.
final class RawOutlet: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func write(_ bytes: ByteBuffer) { context?.write(wrapOutboundOut(bytes), promise: nil) }
    func flush() { context?.flush() }

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
    func close() { context?.close(promise: nil) }

    /// The bytes that the reader has not taken yet; asked for only when there are many.
    var waitingBytes: Int {
        guard let channel = context?.channel, !channel.isWritable else { return 0 }
        return (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
