import API
import Access
import Database
import NIOCore
import NIOWebSocket
import Transport
import Tree
import TreeModel

/// A connection that has become a WebSocket of the database: it passes messages to its ``RealtimeSession``, and carries
/// out the effects.
///
/// Used only on the connection's event loop.
final class WebSocketConnection: ConnectionOwner, ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = ByteBuffer

    /// The largest accepted frame, in bytes: 16,384 UTF-16 units have up to 49,152.
    static let maxFrameBytes = 65_536
    /// The time for a client to read why its connection ends.
    private static let lingering = TimeAmount.seconds(5)

    let admitted: AdmittedSocket
    let loop: WebSocketLoop
    /// The name of the session, which cannot be guessed.
    let id: String
    var session = RealtimeSession()
    /// The identity of requests from now on.
    var identity: RealtimeIdentity
    /// The listeners, by the session's numbers.
    private var listeners: [Int: Listener] = [:]
    /// The listeners with a query, by the session's numbers.
    private var queries: [Int: Listener] = [:]
    private(set) var connection: TakenConnection?
    private var outgoing: OutgoingMessages?
    private(set) var context: ChannelHandlerContext?
    /// The state of reading the client's messages.
    var reading = MessageReading()
    private var pings: Pings
    /// Whether the connection ends because of the client's messages; the rest of them is dropped.
    private(set) var isRefused = false

    init(_ admitted: AdmittedSocket, on loop: WebSocketLoop, id: String) {
        self.admitted = admitted
        self.loop = loop
        self.id = id
        identity = RealtimeIdentity(admitted.proof, at: admitted)
        pings = Pings(every: loop.pingSeconds)
    }

    // MARK: The connection

    var requester: Identity? { identity.proof.identity }
    /// Switching protocols.
    var status: Int { 101 }

    func begin(on connection: TakenConnection, eventLoop: any EventLoop) {
        self.connection = connection
        outgoing = OutgoingMessages(
            on: connection, eventLoop: eventLoop, patience: loop.patience, fail: { [weak self] in self?.close($0) })
        connection.write(admitted.handshake.answer)
        do {
            try connection.add([
                ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: Self.maxFrameBytes)), self,
            ])
        } catch {
            return connection.close()
        }
        loop.add(self)
        let hello = ServerMessage.hello(
            at: WallClock.now(), host: admitted.host, session: id)
        run { session, effects in
            effects.append(.send(.message(hello)))
            session.begin(after: admitted.previousSession, &effects)
        }
    }

    func end() {
        guard connection != nil else { return }
        connection = nil
        letGo()
        loop.remove(self)
        endSessionIfIdle()
    }

    /// Frees the session's memory once the client receives nothing more.
    private func letGo() {
        outgoing?.flush()
        outgoing = nil
        reading = MessageReading()
        for listener in listeners.values { stop(listener) }
        listeners = [:]
        queries = [:]
    }

    func shutDown() { close(.goingAway) }

    /// Closes the connection: a connected client ends it with a close frame (RFC 6455, section 7.1.1); one that stops
    /// sending without it is disconnected.
    func inputEnded() { connection?.close() }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Ends the connection with a reason. A client that is refused because of its messages may still be sending; it has
    /// some time to read the reason.
    func close(_ reason: RealtimeSession.CloseReason) {
        guard !isRefused else {
            if reason == .goingAway { connection?.close() }
            return
        }
        isRefused = reason.isRefusal
        if isRefused { letGo() }
        connection?.write(FrameWriter.close(reason.rawValue))
        guard isRefused else {
            connection?.flush()
            connection?.close()
            return
        }
        connection?.finish(within: Self.lingering)
        context?.read()
    }

    /// Ends the session, with its on-disconnect writes, once no request is running.
    private func endSessionIfIdle() {
        guard connection == nil, !session.isBusy, session.disconnectOperations > 0 else { return }
        admitted.database.endConnectionSoon(TreeKey(unchecked: id))
    }

    // MARK: Frames

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard connection != nil, !isRefused else { return }
        let frame = unwrapInboundIn(data)
        pings.notice()
        // RFC 6455, section 5.1.
        guard frame.maskKey != nil else { return close(.protocolError) }
        switch frame.opcode {
        case .text, .continuation: receive(frame)
        case .ping:
            connection?.write(FrameWriter.pong(frame.unmaskedData.readableBytesView))
            connection?.flush()
        case .pong: break
        case .connectionClose: close(.normal)
        case .binary: close(.notText)
        default: close(.protocolError)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isTooLarge = error as? NIOWebSocketError == .invalidFrameLength
        close(isTooLarge ? .tooLarge : .protocolError)
    }

    // MARK: Effects

    /// Runs a function of the session, and carries out its effects.
    func run(_ body: (inout RealtimeSession, inout [RealtimeSession.Effect]) -> Void) {
        var effects: [RealtimeSession.Effect] = []
        body(&session, &effects)
        for effect in effects {
            switch effect {
            case .send(let message): outgoing?.send(message)
            case .perform(let request): perform(request)
            case .stopListening(let slot):
                queries[slot] = nil
                if let listener = listeners.removeValue(forKey: slot) { stop(listener) }
            case .close(let reason): close(reason)
            }
        }
        outgoing?.flush()
        askWhetherMayWrite()
        readOn()
        endSessionIfIdle()
    }

    // MARK: Requests

    /// Carries a request out, and passes its result to the session.
    private func perform(_ request: RealtimeSession.Request) {
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let work = RequestExecution(
            request: request, admitted: admitted, identity: identity, connection: TreeKey(unchecked: id),
            isListening: !listeners.isEmpty, queries: Array(queries.values), loop: loop
        ) { [eventLoop = loop.eventLoop] listener in
            // Precedes all events, which are delivered in the same way.
            eventLoop.execute { bound.value.add(listener, of: request) }
        }
        let finish = { @Sendable [eventLoop = loop.eventLoop] (outcome: RequestExecution.Outcome) in
            eventLoop.execute { bound.value.finish(request, outcome) }
        }
        // A small write is queued behind earlier ones on this thread, so that they are committed in their order.
        if request.isSmallWrite {
            Task.immediate(name: "WebSocket write") { finish(await work.outcome()) }
        } else {
            Task(name: "WebSocket request") { finish(await work.outcome()) }
        }
    }

    private func finish(_ request: RealtimeSession.Request, _ outcome: RequestExecution.Outcome) {
        run { session, effects in
            switch outcome {
            case .answer(let data): session.finished(request, data, &effects)
            case .written(let token): session.finished(request, "\"\"", at: token, &effects)
            case .value(let message): session.read(request, message, &effects)
            case .listening(let start): session.began(request, start, &effects)
            case .identified(let identity, let data):
                take(identity)
                session.finished(request, data, &effects)
            case .refused(let refusal): session.refused(request, refusal, &effects)
            case .comeAgain:
                session.finished(request, "\"\"", &effects)
                effects.append(.close(.tryAgainLater))
            }
        }
    }

    /// Stores a listener, unless it has ended before it has begun.
    private func add(_ listener: Listener, of request: RealtimeSession.Request) {
        guard connection != nil, !isRefused, let slot = request.slot, session.key(slot) != nil else {
            return identity.session.stopListening(listener)
        }
        listeners[slot] = listener
        if listener.query != nil { queries[slot] = listener }
        loop.add(self, slot, as: listener)
    }

    private func stop(_ listener: Listener) {
        identity.session.stopListening(listener)
        loop.remove(listener)
    }

    // MARK: Identity

    /// Changes the identity; the permissions of the listeners are checked again.
    private func take(_ new: RealtimeIdentity) {
        identity = new
        admitted.ticket.act(by: new.proof)
        for listener in listeners.values { new.session.takeOver(listener, notifying: loop) }
    }

    /// Ends the client's authentication if it has expired or was revoked; the client is notified, and may send a newer
    /// token.
    ///
    /// - Parameter isThorough: Whether revocation is checked, too.
    private func checkIdentity(at now: Timestamp, isThorough: Bool) {
        let isOver = identity.expiresAt.map { $0 <= now } ?? false
        guard isOver || isThorough && !admitted.isProved(identity.proof) else { return }
        take(RealtimeIdentity(admitted.proof, at: admitted))
        run { _, effects in effects.append(.send(.message(ServerMessage.authRevoked))) }
    }

    // MARK: Time

    /// Does the work of each second.
    func tick(at now: Timestamp) {
        let isPingDue = pings.isDue(after: loop.pingSeconds)
        checkIdentity(at: now, isThorough: isPingDue)
        guard reading.tick() else { return close(.slowReader) }
        guard isPingDue else { return }
        guard pings.send() else { return connection?.close() ?? () }
        connection?.write(FrameWriter.pingFrame)
        connection?.flush()
    }
}
