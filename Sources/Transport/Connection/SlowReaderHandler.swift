import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Closes connections whose client reads a response too slowly.
///
/// Unread bytes hold memory, and a long database response holds disk space. A client that reads at all is faster; one
/// that has stopped would otherwise hold them until its connection breaks.
package final class SlowReaderHandler: ChannelOutboundHandler, RemovableChannelHandler {
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    /// The minimum pace: the client must read `bytes` in `time` while there is something to read.
    package struct Pace: Sendable {
        package var bytes: Int
        package var time: TimeAmount

        package init(bytes: Int = 256 << 10, time: TimeAmount = .seconds(30)) {
            self.bytes = bytes
            self.time = time
        }
    }

    private let pace: Pace
    private var writtenBytes = 0
    private var check: Scheduled<Void>?

    init(_ pace: Pace) { self.pace = pace }

    package func handlerRemoved(context: ChannelHandlerContext) { check?.cancel() }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .body(let bytes) = unwrapOutboundIn(data) { writtenBytes += bytes.readableBytes }
        context.write(data, promise: promise)
        if check == nil { schedule(context) }
    }

    private func schedule(_ context: ChannelHandlerContext) {
        let before = takenBytes(context.channel)
        check = context.eventLoop.assumeIsolated().scheduleTask(in: pace.time) { [weak self] in
            guard let self else { return }
            check = nil
            guard waitingBytes(context.channel) > 0 else { return }
            guard takenBytes(context.channel) - before >= pace.bytes else { return context.close(promise: nil) }
            schedule(context)
        }
    }

    private func takenBytes(_ channel: any Channel) -> Int { writtenBytes - waitingBytes(channel) }

    private func waitingBytes(_ channel: any Channel) -> Int {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
