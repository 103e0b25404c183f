import CoreMetrics
import Database
import Metering
import NIOCore
import Tree

/// The WebSocket sessions whose connections are on one event loop: it delivers events of the store, and enforces time
/// limits.
///
/// Its tables belong to the loop, and are accessed only there.
final class WebSocketLoop: EventReceiver {
    private struct Tables {
        var connections: [ObjectIdentifier: WebSocketConnection] = [:]
        /// The listeners, by the store's numbers.
        var listeners: [UInt64: (connection: WebSocketConnection, slot: Int)] = [:]
        var clock: RepeatedTask?
    }

    let form = JSONForm.export
    let eventLoop: any EventLoop
    let sessions: WebSocketSessions
    /// The time between pings, in seconds.
    let pingSeconds: Int
    /// The longest time for a client to read a piece of a long message.
    let patience: TimeAmount
    private let lag: Timer
    private let tables: NIOLoopBoundBox<Tables>

    init(
        _ eventLoop: any EventLoop, of sessions: WebSocketSessions, pingSeconds: Int, patience: TimeAmount,
        lag: Timer
    ) {
        self.lag = lag
        self.eventLoop = eventLoop
        self.sessions = sessions
        self.pingSeconds = pingSeconds
        self.patience = patience
        tables = NIOLoopBoundBox(Tables(), eventLoop: eventLoop)
    }

    // MARK: Events of the store

    func receive(_ event: TreeEvent, for listeners: [UInt64]) {
        eventLoop.execute { [tables, lag] in
            // All listeners of an event listen at one node; those without a tag receive the same bytes.
            var shared: ByteBuffer?
            for id in listeners {
                guard let (connection, slot) = tables.value.listeners[id],
                    let key = connection.session.key(slot)
                else { continue }
                let made = key.tag == nil ? shared : nil
                guard let frames = made ?? FrameWriter.frames(ServerMessage.event(event, for: key)) else {
                    connection.close(.tooLarge)
                    continue
                }
                if key.tag == nil { shared = frames }
                connection.run { session, effects in session.tell(slot, frames, token: event.token, &effects) }
            }
            if let instant = event.committedAt { lag.record(since: instant) }
        }
    }

    func cancel(_ listeners: [UInt64]) {
        eventLoop.execute { [tables] in
            for id in listeners {
                guard let (connection, slot) = tables.value.listeners[id] else { continue }
                connection.run { session, effects in session.revoke(slot, &effects) }
            }
        }
    }

    func end() {
        eventLoop.execute { [tables] in
            for connection in tables.value.connections.values { connection.close(.goingAway) }
        }
    }

    // MARK: Calls of the connections

    func add(_ connection: WebSocketConnection) {
        tables.value.connections[ObjectIdentifier(connection)] = connection
        sessions.add(connection, eventLoop: eventLoop)
        guard tables.value.clock == nil else { return }
        tables.value.clock = eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) {
            [tables] _ in
            let now = WallClock.now()
            for connection in tables.value.connections.values { connection.tick(at: now) }
        }
    }

    func remove(_ connection: WebSocketConnection) {
        tables.value.connections[ObjectIdentifier(connection)] = nil
        sessions.remove(connection)
        guard tables.value.connections.isEmpty else { return }
        tables.value.clock?.cancel()
        tables.value.clock = nil
    }

    func add(_ connection: WebSocketConnection, _ slot: Int, as listener: Listener) {
        tables.value.listeners[listener.id] = (connection, slot)
    }

    func remove(_ listener: Listener) { tables.value.listeners[listener.id] = nil }
}
