import NIOCore
import Transport
import Tree

/// A connection that has become an event stream of the database.
///
/// An event reaches it as bytes that all listeners share. The answer ends with the connection, so its events need no
/// framing (RFC 9112 §6.3).
final class EventStream: ConnectionOwner {
    /// Begins to listen on an event loop.
    ///
    /// - Returns: What ends it.
    typealias Opening = (_ stream: EventStream, _ eventLoop: any EventLoop) -> () -> Void

    private enum State {
        /// What is there at first is being read, or sent; events that come meanwhile wait.
        case opening(waiting: [(token: SyncToken, message: ByteBuffer)], byteCount: Int)
        /// Events up to the token have been told.
        case open(after: SyncToken, maxWaitingBytes: Int)
        case closed
    }

    /// How far a reader may fall behind, in bytes beyond what was there at first.
    private static let maxWaitingBytes = 1 << 20

    private var state = State.opening(waiting: [], byteCount: 0)
    private var connection: TakenConnection?
    private var opening: Opening?
    private var removal: (() -> Void)?
    private var lease: ClientLimiter.Lease?
    private var ticket: OpenStreams.Ticket?
    private let isProved: () -> Bool
    private let origin: String?

    /// - Parameters:
    ///   - origin: The pages that may read it, as `Access-Control-Allow-Origin` names them; nil for none.
    ///   - lease: What counts the stream, as long as it is there.
    ///   - ticket: What lists it for as long.
    ///   - isProved: Whether what lets its client in is good still.
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

    /// Begins with what was there.
    func begin(_ message: ByteBuffer, token: SyncToken) {
        begin()
        connection?.write(message)
        goOn(after: token, waitingBytes: message.readableBytes)
    }

    /// Begins; what was there follows in pieces.
    func begin() { connection?.write(EventStreamMessage.head(allowing: origin)) }

    /// Sends a piece of what was there.
    ///
    /// - Parameter patience: How long the client may take for it, before the stream is ended.
    /// - Returns: When it is taken; nil when the stream has ended.
    func send(_ piece: ByteBuffer, within patience: TimeAmount) -> EventLoopFuture<Void>? {
        connection?.send(piece, within: patience)
    }

    /// Goes on with events, now that what was there has been told.
    func goOn(after token: SyncToken, waitingBytes: Int = 0) {
        guard case .opening(let waiting, _) = state, let connection else { return }
        state = .open(after: token, maxWaitingBytes: Self.maxWaitingBytes + waitingBytes)
        for (token, message) in waiting { write(message, token: token) }
        connection.flush()
    }

    /// Refuses the stream.
    func refuse(_ problem: DatabaseProblem) {
        guard let connection else { return }
        connection.write(EventStreamMessage.refusal(problem, allowing: origin))
        connection.flush()
        connection.close()
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

    /// Shows that the stream is alive; ends it if what let its client in is good no more.
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

    /// Ends the stream because what it listens to cannot be told any more.
    func cancel() {
        connection?.write(EventStreamMessage.cancel)
        connection?.flush()
        connection?.close()
    }

    func close() { connection?.close() }

    func shutDown() { close() }
}
