import API
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Implements the parts of HTTP/1.1 that concern a connection beyond one request and its response.
///
/// - A client that waits before it sends its body (`Expect: 100-continue`, RFC 9110 §10.1.1; curl does above 1 MiB) is
///   requested to send it once a handler reads it (``BodyWanted``): a handler that refuses the request before does not receive
///   the body.
/// - An interim response (``InterimResponse``) is sent only to clients that support it, and only before the final
///   response.
/// - If a response is sent before the body has ended, it has `Connection: close`, and the rest of the body is read for
///   a little while: a client whose connection is reset may never see the response (RFC 9112 §9.6).
/// - The connection ends with the response to a client that does not ask to keep it (HTTP/1.0, `Connection: close`), or
///   that asks for another protocol: the parser reads no further behind such a request.
/// - A malformed request is answered in its turn, and ends the connection. So does a body that is too slow.
final class MessageHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private static let lingering = TimeAmount.seconds(5)

    private let framer: RequestFramer
    private let bodyPatience: TimeAmount
    private let logger: Logger
    /// The number of requests whose head was read and whose response is incomplete.
    private var unanswered = 0
    /// Whether the end of the latest request has not arrived yet.
    private var isReading = false
    /// Whether the latest request is the last on its connection.
    private var isLast = false
    /// Whether the latest request is of HTTP/1.0.
    private var isOld = false
    /// Whether a response is being written.
    private var isAnswering = false
    /// Whether the client waits for `100 Continue` before it sends the latest request's body.
    private var owesContinue = false
    /// The failure to answer with, after all other responses.
    private var refusal: Failure?
    private var pace: BodyPace?
    private var paceCheck: Scheduled<Void>?

    /// - Parameter bodyPatience: The longest wait for a body, in addition to the time that a slow one may take.
    init(behind framer: RequestFramer, bodyPatience: TimeAmount, logger: Logger) {
        self.framer = framer
        self.bodyPatience = bodyPatience
        self.logger = logger
    }

    func handlerRemoved(context: ChannelHandlerContext) { stopPace() }

    func channelInactive(context: ChannelHandlerContext) {
        stopPace()
        context.fireChannelInactive()
    }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard !isLast else { return }
            unanswered += 1
            isReading = true
            isLast = !head.isKeepAlive || head.asksForUpgrade
            isOld = head.version == .http1_0
            owesContinue = !isOld && head.headers.first(name: "expect")?.lowercased() == "100-continue"
            pace = BodyPace(patience: bodyPatience)
        case .body(let bytes):
            guard isReading else { return }
            pace?.receive(bytes.readableBytes, at: .now())
        case .end:
            guard isReading else { return }
            isReading = false
            stopPace()
            if isLast { framer.end() }
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        waitForBody(context)
        context.read()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? Failure ?? (error as? HTTPParserError).map(Failure.init) else {
            return context.fireErrorCaught(error)
        }
        // The reader of the body receives the error, and answers.
        if isReading { return context.fireErrorCaught(error) }
        guard !isLast else { return }
        isLast = true
        refusal = error
        if unanswered == 0 { refuse(context) }
    }

    // MARK: - Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            owesContinue = false
            isAnswering = true
            if unanswered == 1, isReading { isLast = true }
            if unanswered == 1 { frame(&head) }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            unanswered -= 1
            isAnswering = false
            guard unanswered == 0, isLast else { return context.write(data, promise: promise) }
            guard refusal == nil else {
                context.write(data, promise: promise)
                return refuse(context)
            }
            end(with: data, promise, context)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        if let interim = event as? InterimResponse { return tell(interim, promise, context) }
        guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        guard owesContinue, isReading, unanswered == 1 else { return promise?.succeed() ?? () }
        owesContinue = false
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: promise)
        waitForBody(context)
    }

    /// Writes an interim response to the latest request, unless its response has begun or its client does not support
    /// it.
    private func tell(_ interim: InterimResponse, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext)
    {
        guard !isOld, !isAnswering, unanswered == 1 else { return promise?.succeed() ?? () }
        let status = HTTPResponseStatus(
            statusCode: interim.status.code, reasonPhrase: interim.status.reasonPhrase)
        let headers = HTTPHeaders(interim.headers.map { ($0.name.rawName, $0.value) })
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: promise)
    }

    /// Sets the header fields that decide about the connection after the response to the latest request.
    private func frame(_ head: inout HTTPResponseHead) {
        if isOld, !head.headers.contains(name: "content-length") {
            // HTTP/1.0 has no chunks, so the end of the connection marks the end of such a response.
            head.version = .http1_0
            isLast = true
        }
        if isLast, refusal == nil {
            head.headers.replaceOrAdd(name: "connection", value: "close")
        } else if isOld, !isLast {
            head.headers.replaceOrAdd(name: "connection", value: "keep-alive")
        }
    }

    /// Writes the last part of the last response; then the client is notified that no more will follow.
    private func end(with data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        framer.end()
        let written = promise ?? context.eventLoop.makePromise()
        let channel = context.channel
        written.futureResult.whenComplete { _ in
            channel.close(mode: .output, promise: nil)
            channel.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
        }
        context.writeAndFlush(data, promise: written)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        guard let error = refusal else { return }
        let trace = RequestID().description
        logger.debug("refused", metadata: ["error": "\(error)", "hb.request.id": "\(trace)"])
        let problem = Problem(error)
        let document = problem.document(trace: trace).json()
        let headers: HTTPHeaders = [
            "content-type": Problem.contentType, "content-length": "\(document.count)", "connection": "close",
            "x-content-type-options": "nosniff", "cache-control": "no-store",
        ]
        let status = HTTPResponseStatus(statusCode: problem.status.code, reasonPhrase: problem.status.reasonPhrase)
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: document)))), promise: nil)
        end(with: wrapOutboundOut(.end(nil)), nil, context)
    }

    // MARK: - Slow bodies

    private func waitForBody(_ context: ChannelHandlerContext) {
        guard isReading, !owesContinue, pace != nil else { return }
        pace?.wait(at: .now())
        if paceCheck == nil { checkPace(context) }
    }

    /// Checks whether the body arrives fast enough, and schedules the next check.
    private func checkPace(_ context: ChannelHandlerContext) {
        guard isReading, let left = pace?.left(at: .now()) else { return }
        guard left > .zero else {
            pace = nil
            return errorCaught(context: context, error: Failure.tooSlow)
        }
        let bound = NIOLoopBound((gate: self, context: context), eventLoop: context.eventLoop)
        paceCheck = context.eventLoop.scheduleTask(in: left) {
            bound.value.gate.paceCheck = nil
            bound.value.gate.checkPace(bound.value.context)
        }
    }

    private func stopPace() {
        pace = nil
        paceCheck?.cancel()
        paceCheck = nil
    }
}

extension HTTPRequestHead {
    /// Whether the client asks to switch to another protocol.
    fileprivate var asksForUpgrade: Bool {
        method == .CONNECT
            || headers.contains(name: "upgrade")
                && headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
    }
}

extension Failure {
    fileprivate init(_ error: HTTPParserError) {
        self = .malformed("it is not HTTP/1.1 (\(error))")
    }

    fileprivate static var tooSlow: Failure {
        Failure(
            .tooSlow, "the body arrived too slowly",
            hint:
                "Send it again over a better connection, with at least \(BodyPace.minBytesPerSecond) bytes a second."
        )
    }
}
