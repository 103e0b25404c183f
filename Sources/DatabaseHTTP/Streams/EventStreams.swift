import Access
package import CoreMetrics
import Database
package import HTTPTypes
import HummingbirdCore
import Metering
package import NIOCore
package import Requests
import Synchronization
package import Transport
import Tree

/// The event streams of the database, grouped by the event loops of their connections: an encoder over the listeners'
/// sessions.
package final class EventStreams: Sendable {
    private let admission: Admission
    private let access: DatabaseAccess
    /// The origins of the pages that may read the streams.
    private let origins: AllowedOrigins
    private let starts: InitialEvents
    private let keepAlive: TimeAmount
    private let lag: Timer
    private let loops = Mutex<[ObjectIdentifier: EventStreamLoop]>([:])

    /// - Parameters:
    ///   - keepAlive: The time between keep-alives.
    ///   - lag: Records the time from a commit until its event was handed to the connections.
    package init(
        _ admission: Admission, _ access: DatabaseAccess, origins: AllowedOrigins, starts: InitialEvents,
        keepAlive: TimeAmount, lag: Timer
    ) {
        self.lag = lag
        self.admission = admission
        self.access = access
        self.origins = origins
        self.starts = starts
        self.keepAlive = keepAlive
    }

    /// Whether a request for the database asks for an event stream.
    package static func isAsked(by request: HTTPRequest) -> Bool {
        request.method == .get && request.headerFields[.accept]?.contains("text/event-stream") == true
    }

    /// Returns the owner that takes the connection of a stream request over; nobody if the request is not admitted, or
    /// its target cannot be listened to. An unknown key of another issuer is fetched before.
    package func owner(for request: HTTPRequest, from client: ClientConnection) -> TakeoverHandler.Choice {
        do throws(AccessError) {
            let proof = try admission.access.proof(for: Credentials(of: request, from: client))
            return stream(for: request, from: client, by: proof).map { .owner($0) } ?? .nobody
        } catch {
            guard case .unknownKey = error else { return .nobody }
            return .after { [access = admission.access] in _ = await access.refreshKeys(after: error) }
        }
    }

    private func stream(for request: HTTPRequest, from client: ClientConnection, by proof: Proof) -> EventStream? {
        let uri = URI(request.path ?? "")
        let activities = admission.limitedClient(proof, request, from: client)
            .map { Activities(limiter: admission.limiter, client: $0) }
        guard let admitted = try? access.admit(request, at: uri, from: client, by: proof, counting: activities),
            let query = try? admitted.parameters.query().map(Optional.some) ?? .some(nil),
            let path = try? DatabasePath(address: uri.path, in: admitted.namespace), !path.isPriority
        else { return nil }
        let source = ListenRequest(at: path.node, matching: query)
        var lease: ClientLimiter.Lease?
        if let activities {
            do {
                try activities.limiter.checkReads(of: activities.client)
                try activities.limiter.countRequest(of: activities.client)
                lease = try activities.limiter.begin(.stream, of: activities.client)
            } catch {
                return nil
            }
        }
        let ticket = admission.open.add(
            .stream, request.path, by: proof, from: client.address(of: request))
        return EventStream(
            allowing: origins.allowing(request.headerFields[.origin]), holding: lease, ticket,
            isProved: { [access = admission.access] in
                (try? access.recheck(proof)) != nil
            }
        ) { [session = admitted.session] stream, eventLoop in
            self.loop(of: eventLoop).open(stream, on: source, in: session)
        }
    }

    private func loop(of eventLoop: any EventLoop) -> EventStreamLoop {
        loops.withLock { loops in
            let id = ObjectIdentifier(eventLoop)
            if let loop = loops[id] { return loop }
            let loop = EventStreamLoop(eventLoop, starts: starts, keepAlive: keepAlive, lag: lag)
            loops[id] = loop
            return loop
        }
    }
}

/// The streams whose connections are on one event loop.
///
/// The table of the streams belongs to the loop, and is accessed only there.
final class EventStreamLoop: EventReceiver {
    private struct Streams {
        var open: [UInt64: EventStream] = [:]
        var keepAlive: RepeatedTask?
    }

    private let eventLoop: any EventLoop
    private let starts: InitialEvents
    private let keepAlive: TimeAmount
    private let lag: Timer
    private let streams: NIOLoopBoundBox<Streams>

    init(_ eventLoop: any EventLoop, starts: InitialEvents, keepAlive: TimeAmount, lag: Timer) {
        self.lag = lag
        self.eventLoop = eventLoop
        self.starts = starts
        self.keepAlive = keepAlive
        streams = NIOLoopBoundBox(Streams(), eventLoop: eventLoop)
    }

    // MARK: Events of the store

    func receive(_ event: TreeEvent, for listeners: [UInt64]) {
        let message = EventStreamMessage.message(event)
        let token = event.token
        eventLoop.execute { [streams, lag] in
            for listener in listeners { streams.value.open[listener]?.tell(message, token: token) }
            if let instant = event.committedAt { lag.record(since: instant) }
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

    // MARK: Calls of the connections

    /// Begins a stream; called on its event loop.
    ///
    /// - Returns: A closure that ends the stream.
    func open(_ stream: EventStream, on source: ListenRequest, in session: DatabaseSession) -> () -> Void {
        let listening = NIOLoopBoundBox<Listener?>(nil, eventLoop: eventLoop)
        let isEnded = NIOLoopBoundBox(false, eventLoop: eventLoop)
        let bound = NIOLoopBound(stream, eventLoop: eventLoop)
        // The finished task must be released, because it holds memory.
        let reading = NIOLoopBoundBox<Task<Void, Never>?>(nil, eventLoop: eventLoop)
        reading.value = Task { [self] in
            do throws(TreeError) {
                let start = try await session.listen(
                    to: source, in: EventStreamMessage.start, notifying: self
                ) { listener in
                    // Precedes all events, which are delivered in the same way.
                    eventLoop.execute {
                        guard !isEnded.value else { return session.stopListening(listener) }
                        listening.value = listener
                        self.add(bound.value, as: listener.id)
                    }
                }
                let token = start.token
                switch start.value {
                case .memory(let bytes)?:
                    eventLoop.execute { bound.value.begin(ByteBuffer(bytes: bytes), token: token) }
                case .file(let text)?:
                    await starts.send(text, to: bound, eventLoop: eventLoop, token: token)
                case nil: break
                }
                eventLoop.execute { reading.value = nil }
            } catch {
                let problem = DatabaseProblem(error)
                eventLoop.execute {
                    if let listener = listening.value { self.remove(listener.id) }
                    listening.value = nil
                    reading.value = nil
                    bound.value.refuse(problem)
                }
            }
        }
        return { [self] in
            isEnded.value = true
            reading.value?.cancel()
            reading.value = nil
            guard let listener = listening.value else { return }
            listening.value = nil
            session.stopListening(listener)
            remove(listener.id)
        }
    }

    private func add(_ stream: EventStream, as id: UInt64) {
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
