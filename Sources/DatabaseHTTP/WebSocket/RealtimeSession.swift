import Database
import DequeModule
import NIOCore
import Tree

/// The state and decisions of a session of the wire protocol, without a connection and without a store: messages are
/// received and become effects.
///
/// Requests take effect in their order. Writes are started one behind the other without waiting, and so are reads; each
/// kind waits until the other is done. A request that changes the client's identity or its listeners runs alone. The
/// events of a listener wait until its first value is sent.
///
/// A client merges the values of its listeners without a tag into one view. So events for paths above and below that of
/// a new listener wait, too: its first value must not undo what was sent before. An event that was sent for a path is
/// not sent again for a path below it.
struct RealtimeSession {
    /// A request that is waiting or running.
    struct Request {
        /// The client's number for it; nil for requests of the session itself.
        let number: Int?
        let action: ClientAction
        /// The length of the message, in bytes.
        let byteCount: Int
        /// The number of the request's listener.
        fileprivate(set) var slot: Int?
        /// Its position among the writes that run together; nil for other requests.
        fileprivate(set) var place: Int?

        /// Whether it is a write too small to need its own thread.
        var isSmallWrite: Bool {
            switch action {
            case .put, .merge: byteCount <= RealtimeSession.maxSmallBytes
            default: false
            }
        }
    }

    /// The kind of a request; requests of one kind may run together.
    private enum Kind {
        case read, write, alone
    }

    /// A listener of the client.
    struct Slot {
        let key: RealtimeListen.Key
        /// The query as the client wrote it.
        let queryText: [UInt8]
        /// The events that wait for the first value; nil once that is sent.
        var waiting: [(token: SyncToken, frames: ByteBuffer)]? = []
        /// The position up to which events have been sent.
        var token = SyncToken.start
        /// The position of the first value.
        var startToken = SyncToken.start
    }

    /// An event that waits for another listener's first value.
    struct Held {
        let slot: Int
        let frames: ByteBuffer
        let token: SyncToken
    }

    private static let maxSmallBytes = 64 << 10
    /// The largest number of running requests.
    private static let maxRunning = 64
    /// The session stops reading while this many requests, or this many bytes of them, wait.
    private static let maxWaiting = 128
    private static let maxWaitingBytes = 1 << 20
    /// The limit on events that wait for a listener's first value, in bytes.
    static let maxHeldBytes = 4 << 20
    /// The largest number of listeners of a session.
    private static let maxListeners = 10_000
    /// The largest number of on-disconnect writes of a session.
    private static let maxDisconnectOperations = 1000

    private var running = 0
    private var runningKind = Kind.read
    private var waiting: Deque<Request> = []
    private var waitingBytes = 0
    var slots: [Int: Slot] = [:]
    var numbers: [RealtimeListen.Key: Int] = [:]
    private var lastSlot = 0
    private var lastPlace = 0
    /// The position of the next write to be answered, and the responses of writes behind it.
    private var nextPlace = 1
    private var answers: [Int: [UInt8]] = [:]
    /// The path of the new listener without a tag; there is at most one at a time.
    var beginning: [TreeKey]?
    var held: [Held] = []
    var heldBytes = 0
    /// The number of on-disconnect writes; individually cancelled ones count until all are cancelled.
    private(set) var disconnectOperations = 0

    /// Whether to read more.
    var isReady: Bool { waiting.count < Self.maxWaiting && waitingBytes < Self.maxWaitingBytes }
    /// Whether a request is running.
    var isBusy: Bool { running > 0 }

    // MARK: Messages of the client

    /// Begins the session, and ends the client's previous one.
    mutating func begin(after previous: String?, _ effects: inout [Effect]) {
        guard let previous else { return }
        take(Request(number: nil, action: .endSession(previous), byteCount: 0), &effects)
    }

    /// Receives a message.
    mutating func receive(_ message: MessageJoiner.Message, _ effects: inout [Effect]) {
        switch ClientMessage(message) {
        case nil:
            effects.append(.send(.message(ServerMessage.error("the message cannot be read"))))
            effects.append(.close(CloseReason(unreadable: message)))
        case .ping: effects.append(.send(.message(ServerMessage.pong)))
        case .control: break
        case .request(let number, .failure(let refusal)):
            effects.append(.send(.message(ServerMessage.refused(number, refusal))))
        case .request(let number, .success(let action)):
            take(Request(number: number, action: action, byteCount: message.byteCount), &effects)
        }
    }

    private mutating func take(_ request: Request, _ effects: inout [Effect]) {
        waiting.append(request)
        waitingBytes += request.byteCount
        startWhatMay(&effects)
    }

    // MARK: Order of requests

    private func kind(of request: Request) -> Kind {
        switch request.action {
        case .listen(let listen): listen.key.tag == nil ? .alone : .read
        case .get: .read
        default: request.isSmallWrite ? .write : .alone
        }
    }

    private mutating func startWhatMay(_ effects: inout [Effect]) {
        while let request = waiting.first {
            let kind = kind(of: request)
            guard running == 0 || kind == runningKind && kind != .alone && running < Self.maxRunning else { return }
            waiting.removeFirst()
            waitingBytes -= request.byteCount
            runningKind = kind
            start(request, &effects)
        }
    }

    private mutating func start(_ request: Request, _ effects: inout [Effect]) {
        var request = request
        switch request.action {
        case .acknowledge: return answer(request, "\"\"", &effects)
        case .stopListening(let key):
            if let slot = numbers[key] { end(slot, &effects) }
            return answer(request, "\"\"", &effects)
        case .listen(let listen):
            if let slot = numbers[listen.key] { end(slot, &effects) }
            guard slots.count < Self.maxListeners else {
                return refuse(request, ClientRefusal(.unavailable, "there are too many listeners"), &effects)
            }
            lastSlot += 1
            slots[lastSlot] = Slot(key: listen.key, queryText: listen.queryText)
            numbers[listen.key] = lastSlot
            request.slot = lastSlot
            if listen.key.tag == nil { beginning = listen.key.path }
        case .onDisconnect:
            guard disconnectOperations < Self.maxDisconnectOperations else {
                return refuse(request, ClientRefusal(.failure, "too many writes wait for the disconnect"), &effects)
            }
            disconnectOperations += 1
        default: break
        }
        if runningKind == .write {
            lastPlace += 1
            request.place = lastPlace
        }
        running += 1
        effects.append(.perform(request))
    }

    mutating func end(_ slot: Int, _ effects: inout [Effect]) {
        guard let ended = slots.removeValue(forKey: slot) else { return }
        for event in ended.waiting ?? [] { heldBytes -= event.frames.readableBytes }
        if numbers[ended.key] == slot { numbers[ended.key] = nil }
        if !held.contains(where: { $0.slot == slot }) { noteTold(above: ended) }
        effects.append(.stopListening(slot))
    }

    private mutating func answer(
        _ request: Request, _ data: String, at token: SyncToken? = nil, _ effects: inout [Effect]
    ) {
        guard let number = request.number else { return }
        answer(request, ServerMessage.done(number, data.utf8, at: token), &effects)
    }

    private mutating func refuse(_ request: Request, _ refusal: ClientRefusal, _ effects: inout [Effect]) {
        guard let number = request.number else { return }
        answer(request, ServerMessage.refused(number, refusal), &effects)
    }

    /// Answers a request. Writes are answered in their order: a client applies unanswered writes on top of the events
    /// it receives.
    private mutating func answer(_ request: Request, _ message: [UInt8], _ effects: inout [Effect]) {
        guard let place = request.place else { return effects.append(.send(.message(message))) }
        answers[place] = message
        while let next = answers.removeValue(forKey: nextPlace) {
            nextPlace += 1
            effects.append(.send(.message(next)))
        }
    }

    // MARK: Results of requests

    /// Handles the success of a request; `data` is the JSON of its response.
    mutating func finished(
        _ request: Request, _ data: String, at token: SyncToken? = nil, _ effects: inout [Effect]
    ) {
        answer(request, data, at: token, &effects)
        next(&effects)
    }

    /// Handles the success of a read.
    mutating func read(_ request: Request, _ message: SpooledBody.Finished, _ effects: inout [Effect]) {
        if request.number != nil { effects.append(.send(.spooled(message))) }
        next(&effects)
    }

    /// Handles the refusal of a request.
    mutating func refused(_ request: Request, _ refusal: ClientRefusal, _ effects: inout [Effect]) {
        if let slot = request.slot { end(slot, &effects) }
        refuse(request, refusal, &effects)
        release(after: request, upTo: nil, &effects)
        next(&effects)
    }

    /// Handles the success of a listen request.
    ///
    /// - Parameter start: The first value, unless the client has it.
    mutating func began(_ request: Request, _ start: ListenStart, _ effects: inout [Effect]) {
        defer { next(&effects) }
        // It has ended meanwhile: it was replaced by another listener, or the rules have changed.
        guard let number = request.slot, var slot = slots[number] else {
            answer(request, "{}", &effects)
            return release(after: request, upTo: nil, &effects)
        }
        release(after: request, upTo: start.token, &effects)
        if let message = start.value { effects.append(.send(.spooled(message))) }
        answer(request, start.isIndexed ? "{}" : "{\"w\":[\"no_index\"]}", &effects)
        for event in slot.waiting ?? [] {
            heldBytes -= event.frames.readableBytes
            guard event.token > start.token, !isCovered(slot.key, token: event.token) else { continue }
            slot.token = event.token
            effects.append(.send(.frames(event.frames)))
        }
        slot.token = max(slot.token, start.token)
        slot.startToken = start.token
        slot.waiting = nil
        slots[number] = slot
        release(after: request, upTo: nil, &effects)
    }

    /// Sends the events that have waited for the first value of a listener: up to a position in the change log, or all.
    private mutating func release(after request: Request, upTo token: SyncToken?, _ effects: inout [Effect]) {
        guard case .listen(let listen) = request.action, listen.key.tag == nil else { return }
        let due = token.map { token in held.prefix { $0.token <= token } } ?? held[...]
        held.removeFirst(due.count)
        for event in due {
            heldBytes -= event.frames.readableBytes
            guard let slot = slots[event.slot], !isCovered(slot.key, token: event.token) else { continue }
            effects.append(.send(.frames(event.frames)))
        }
        if token == nil { beginning = nil }
    }

    private mutating func next(_ effects: inout [Effect]) {
        running -= 1
        startWhatMay(&effects)
    }
}
