import Access
import HTTPTypes
import NIOCore
import Transport
import Tree

/// A connection that has become an event stream of the database.
///
/// An event reaches it as bytes that all listeners share. The response ends with the connection, so its events need no
/// framing (RFC 9112 §6.3).
final class EventStream: ConnectionOwner {
    /// Begins to listen on an event loop.
    ///
    /// - Returns: A closure that ends the listening.
    typealias Opening = (_ stream: EventStream, _ eventLoop: any EventLoop) -> () -> Void

    private enum State {
        /// The first value is being read or sent; events that arrive meanwhile wait.
        case opening(waiting: [(token: SyncToken, message: ByteBuffer)], byteCount: Int)
        /// Events up to the token have been sent.
        case open(after: SyncToken, maxWaitingBytes: Int)
        case closed
    }

    /// The number of bytes by which a reader may fall behind, in addition to the first value.
    private static let maxWaitingBytes = 1 << 20

    private var state = State.opening(waiting: [], byteCount: 0)
    private var connection: TakenConnection?
    private var opening: Opening?
    private var removal: (() -> Void)?
    private var lease: ClientLimiter.Lease?
    private var ticket: OpenStreams.Ticket?
    private let isProved: () -> Bool
    private let origin: String?
    private(set) var status = 200

    /// - Parameters:
    ///   - origin: The pages that may read it, as in `Access-Control-Allow-Origin`; nil for none.
    ///   - lease: Counts the stream while it is open.
    ///   - ticket: Lists the stream while it is open.
    ///   - isProved: Whether the client's proof is still valid.
    init(
        allowing origin: String?, holding lease: ClientLimiter.Lease?, _ ticket: OpenStreams.Ticket,
        isProved: @escaping () -> Bool, _ opening: @escaping Opening
    ) {
        self.origin = origin
        self.lease = lease
        self.ticket = ticket
        self.isProved = isProved
        self.opening = opening
    }

    var requester: Identity? { ticket?.identity }

    func begin(on connection: TakenConnection, eventLoop: any EventLoop) {
        self.connection = connection
        removal = opening?(self, eventLoop)
        opening = nil
    }

    func end() {
        state = .closed
        removal?()
        removal = nil
        lease = nil
        ticket = nil
        connection = nil
    }

    // MARK: Opening

    /// Begins with the first value.
    func begin(_ message: ByteBuffer, token: SyncToken) {
        begin()
        connection?.write(message)
        goOn(after: token, waitingBytes: message.readableBytes)
    }

    /// Begins; the first value follows in pieces.
    func begin() { connection?.write(EventStreamMessage.head(allowing: origin)) }

    /// Sends a piece of the first value.
    ///
    /// - Parameter patience: The longest time for the client to read it, before the stream is ended.
    /// - Returns: A future that succeeds when the piece is sent; nil when the stream has ended.
    func send(_ piece: ByteBuffer, within patience: TimeAmount) -> EventLoopFuture<Void>? {
        connection?.send(piece, within: patience)
    }

    /// Continues with events after the first value has been sent.
    func goOn(after token: SyncToken, waitingBytes: Int = 0) {
        guard case .opening(let waiting, _) = state, let connection else { return }
        state = .open(after: token, maxWaitingBytes: Self.maxWaitingBytes + waitingBytes)
        for (token, message) in waiting { write(message, token: token) }
        connection.flush()
    }

    /// Refuses the stream.
    func refuse(_ problem: DatabaseProblem) {
        guard let connection else { return }
        status = problem.status.code
        connection.write(EventStreamMessage.refusal(problem, allowing: origin))
        connection.flush()
        connection.close()
        end()
    }

    // MARK: Events

    /// Sends an event, unless it is part of the first value.
    func tell(_ message: ByteBuffer, token: SyncToken) {
        switch state {
        case .opening(var waiting, var byteCount):
            state = .closed  // so that the list is not copied
            waiting.append((token, message))
            byteCount += message.readableBytes
            state = .opening(waiting: waiting, byteCount: byteCount)
            if byteCount > Self.maxWaitingBytes { connection?.close() }
        case .open:
            write(message, token: token)
            connection?.flush()
        case .closed: break
        }
    }

    private func write(_ message: ByteBuffer, token: SyncToken) {
        guard case .open(let last, let maxWaitingBytes) = state, let connection, token > last else { return }
        guard connection.waitingBytes <= maxWaitingBytes else { return connection.close() }
        state = .open(after: token, maxWaitingBytes: maxWaitingBytes)
        connection.write(message)
    }

    /// Sends a keep-alive; ends the stream if its client's proof is no longer valid.
    func keepAlive() {
        guard isProved() else { return revoke() }
        guard case .open(_, let maxWaitingBytes) = state, let connection else { return }
        guard connection.waitingBytes <= maxWaitingBytes else { return connection.close() }
        connection.write(EventStreamMessage.keepAlive)
        connection.flush()
    }

    /// Ends the stream because its client's token has expired or was revoked.
    private func revoke() {
        connection?.write(EventStreamMessage.authRevoked)
        connection?.flush()
        connection?.close()
    }

    /// Ends the stream because its events can no longer be sent.
    func cancel() {
        connection?.write(EventStreamMessage.cancel)
        connection?.flush()
        connection?.close()
    }

    func close() { connection?.close() }

    func shutDown() { close() }
}
