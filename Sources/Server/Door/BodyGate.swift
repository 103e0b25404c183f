import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Pipeline

/// What HTTP/1.1 asks of a connection about bodies that should not be sent, or need not be sent to their end.
///
/// A client that asks with `Expect: 100-continue` (RFC 9110 §10.1.1; curl does above 1 MiB) is told to go on at once when
/// its body is within the limits; otherwise the final answer alone tells it not to. When an answer comes before the body
/// has ended, the answer says `Connection: close`, and what is still coming is read for a little while: a client that
/// gets its connection reset may never see the answer (RFC 9112 §9.6).
final class BodyGate: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let lingering = TimeAmount.seconds(5)

    private let limits: BodyLimits
    private let intake: IntakeGate
    /// Requests whose head was read and whose answer is not complete.
    private var unanswered = 0
    /// Whether the end of the latest request is still to come.
    private var isReading = false
    private var closesAfterAnswer = false

    init(_ limits: BodyLimits, intake: IntakeGate) {
        self.limits = limits
        self.intake = intake
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard !closesAfterAnswer else { return }
            unanswered += 1
            isReading = true
            if unanswered == 1, expectsContinue(head) {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        case .body:
            break
        case .end:
            isReading = false
            if closesAfterAnswer, unanswered == 0 { context.close(promise: nil) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational && unanswered == 1 && isReading:
            closesAfterAnswer = true
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head, .body:
            context.write(data, promise: promise)
        case .end:
            unanswered -= 1
            if closesAfterAnswer {
                context.writeAndFlush(data, promise: promise)
                close(context)
            } else {
                context.write(data, promise: promise)
            }
        }
    }

    private func close(_ context: ChannelHandlerContext) {
        guard isReading else { return context.close(promise: nil) }
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.lingering) {
            context.close(promise: nil)
        }
    }

    private func expectsContinue(_ head: HTTPRequest) -> Bool {
        guard head.headerFields[.expect]?.lowercased() == "100-continue" else { return false }
        if head.path?.hasPrefix("/v1/uploads") == true, intake.pause != nil { return false }
        do {
            try limits.check(head)
            return true
        } catch {
            return false
        }
    }
}
