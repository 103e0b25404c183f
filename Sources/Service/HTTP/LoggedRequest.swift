import Access
import HTTPTypes
import Hummingbird
import NIOCore
import Requests
import Synchronization
import Transport

/// A request that is written to the access log when its response has ended, or is given up.
final class LoggedRequest: Sendable {
    private let log: AccessLog
    private let sender: Sender
    /// The entry; nil once it is written.
    private let entry: Mutex<AccessLogEntry?>

    init(_ request: HTTPRequest, _ context: HTTPContext, in log: AccessLog) {
        self.log = log
        sender = context.sender
        entry = Mutex(AccessLogEntry(request, from: context.client, trace: context.trace))
    }

    /// Writes the line of a response whose connection broke before its body began: nobody writes such a body.
    deinit { end() }

    /// Returns a response whose body is counted, and after which the line is written.
    func attached(to response: Response) -> Response {
        entry.withLock { $0?.status = response.status.code }
        var response = response
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { [self] writer in
            defer { end() }
            try await body.write(CountingWriter(writer: writer, request: self))
        }
        return response
    }

    /// Writes the line, once.
    func end() {
        guard var entry = entry.withLock({ $0.take() }) else { return }
        entry.identity = sender.identity
        entry.end()
        log.add(entry)
    }

    fileprivate func count(_ byteCount: Int) { entry.withLock { $0?.byteCount += byteCount } }
}

/// Counts the bytes of a response's body.
private struct CountingWriter: ResponseBodyWriter {
    var writer: any ResponseBodyWriter
    let request: LoggedRequest

    @concurrent mutating func write(_ buffer: ByteBuffer) async throws {
        let byteCount = buffer.readableBytes
        try await writer.write(buffer)
        request.count(byteCount)
    }

    @concurrent mutating func write(contentsOf buffers: some Sequence<ByteBuffer>) async throws {
        let buffers = Array(buffers)
        try await writer.write(contentsOf: buffers)
        request.count(buffers.reduce(0) { $0 + $1.readableBytes })
    }

    @concurrent consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await writer.finish(trailingHeaders)
    }
}

/// The owner of a connection that is written to the access log when the connection ends.
///
/// Used only on the connection's event loop.
final class LoggedOwner: ConnectionOwner {
    private let owner: any ConnectionOwner
    private let log: AccessLog
    private var entry: AccessLogEntry?
    private var connection: TakenConnection?

    init(_ owner: any ConnectionOwner, _ entry: AccessLogEntry, in log: AccessLog) {
        (self.owner, self.entry, self.log) = (owner, entry, log)
    }

    var requester: Identity? { owner.requester }
    var status: Int { owner.status }

    func begin(on connection: TakenConnection, eventLoop: any EventLoop) {
        self.connection = connection
        noteState()
        owner.begin(on: connection, eventLoop: eventLoop)
    }

    func end() {
        noteState()
        owner.end()
        guard var entry = entry.take() else { return }
        entry.byteCount = connection?.byteCount ?? 0
        connection = nil
        entry.end()
        log.add(entry)
    }

    /// A client of a WebSocket proves its identity after the beginning, and an owner that has ended has none.
    private func noteState() {
        entry?.identity = owner.requester ?? entry?.identity
        entry?.status = owner.status
    }

    func shutDown() { owner.shutDown() }
    func inputEnded() { owner.inputEnded() }
}
