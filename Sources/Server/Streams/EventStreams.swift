import HTTPTypes
import NIOCore
import Synchronization
import Tree

/// All event streams of the database, by the event loops that their connections are on.
final class EventStreams: Sendable {
    private let tree: TreeStore
    private let starts: InitialEvents
    private let keepAlive: TimeAmount
    private let route: @Sendable (HTTPRequest, _ isTrusted: Bool) -> ListenRequest?
    private let loops = Mutex<[ObjectIdentifier: EventStreamLoop]>([:])

    /// - Parameters:
    ///   - keepAlive: How often a stream shows that it is alive.
    ///   - route: What a request listens to; nil if it must not, or is not understood: it is then answered as any other.
    init(
        _ tree: TreeStore, starts: InitialEvents, keepAlive: TimeAmount,
        route: @escaping @Sendable (HTTPRequest, _ isTrusted: Bool) -> ListenRequest?
    ) {
        self.tree = tree
        self.starts = starts
        self.keepAlive = keepAlive
        self.route = route
    }

    func source(for request: HTTPRequest, isTrusted: Bool) -> ListenRequest? {
        guard request.method == .get, request.headerFields[.accept]?.contains("text/event-stream") == true,
            request.isForDatabase
        else { return nil }
        return route(request, isTrusted)
    }

    /// Begins a stream; called on its event loop.
    ///
    /// - Returns: What ends it.
    func open(_ stream: EventStreamHandler, on source: ListenRequest, eventLoop: any EventLoop) -> () -> Void {
        let loop = loops.withLock { loops in
            let id = ObjectIdentifier(eventLoop)
            if let loop = loops[id] { return loop }
            let loop = EventStreamLoop(eventLoop, keepAlive: keepAlive)
            loops[id] = loop
            return loop
        }
        return loop.open(stream, on: source, in: tree, starts: starts)
    }
}

/// The streams whose connections are on one event loop.
///
/// Their table belongs to the loop, and is only touched there.
final class EventStreamLoop: EventReceiver {
    private struct Streams {
        var open: [UInt64: EventStreamHandler] = [:]
        var keepAlive: RepeatedTask?
    }

    private let eventLoop: any EventLoop
    private let keepAlive: TimeAmount
    private let streams: NIOLoopBoundBox<Streams>

    init(_ eventLoop: any EventLoop, keepAlive: TimeAmount) {
        self.eventLoop = eventLoop
        self.keepAlive = keepAlive
        streams = NIOLoopBoundBox(Streams(), eventLoop: eventLoop)
    }

    // MARK: What the store tells

    func receive(_ event: TreeEvent, for listeners: [UInt64]) {
        let message = EventStreamMessage.message(event)
        let token = event.token
        eventLoop.execute { [streams] in
            for listener in listeners { streams.value.open[listener]?.tell(message, token: token) }
        }
    }

    func cancel(_ listeners: [UInt64]) {
        eventLoop.execute { [streams] in
            for listener in listeners { streams.value.open[listener]?.cancel() }
        }
    }

    func end() {
        eventLoop.execute { [streams] in
            for stream in streams.value.open.values { stream.close() }
        }
    }

    // MARK: What the connections do

    func open(
        _ stream: EventStreamHandler, on source: ListenRequest, in tree: TreeStore, starts: InitialEvents
    ) -> () -> Void {
        let listening = NIOLoopBoundBox<Listener?>(nil, eventLoop: eventLoop)
        let isEnded = NIOLoopBoundBox(false, eventLoop: eventLoop)
        let bound = NIOLoopBound(stream, eventLoop: eventLoop)
        // A task has memory of its own, so nobody may hold it once it is done.
        let reading = NIOLoopBoundBox<Task<Void, Never>?>(nil, eventLoop: eventLoop)
        reading.value = Task { [self] in
            do throws(TreeError) {
                let (start, token) = try await tree.listen(at: source.path, matching: source.query, notifying: self) {
                    listener in
                    // Comes before all events, which take the same way.
                    eventLoop.execute {
                        guard !isEnded.value else { return tree.stopListening(listener) }
                        listening.value = listener
                        self.add(bound.value, as: listener.id)
                    }
                } start: { value throws(TreeError) in
                    try starts.text(of: value)
                }
                switch start {
                case .memory(let bytes):
                    eventLoop.execute { bound.value.begin(ByteBuffer(bytes: bytes), token: token) }
                case .file(let text):
                    await starts.send(text, to: bound, eventLoop: eventLoop, token: token)
                }
                eventLoop.execute { reading.value = nil }
            } catch {
                let refusal = EventStreamMessage.refusal(error)
                eventLoop.execute {
                    if let listener = listening.value { self.remove(listener.id) }
                    listening.value = nil
                    reading.value = nil
                    bound.value.refuse(refusal)
                }
            }
        }
        return { [self] in
            isEnded.value = true
            reading.value?.cancel()
            reading.value = nil
            guard let listener = listening.value else { return }
            listening.value = nil
            tree.stopListening(listener)
            remove(listener.id)
        }
    }

    private func add(_ stream: EventStreamHandler, as id: UInt64) {
        streams.value.open[id] = stream
        guard streams.value.keepAlive == nil else { return }
        streams.value.keepAlive = eventLoop.scheduleRepeatedTask(initialDelay: keepAlive, delay: keepAlive) {
            [streams] _ in
            for stream in streams.value.open.values { stream.keepAlive() }
        }
    }

    private func remove(_ id: UInt64) {
        streams.value.open[id] = nil
        guard streams.value.open.isEmpty else { return }
        streams.value.keepAlive?.cancel()
        streams.value.keepAlive = nil
    }
}
