import Synchronization
import Testing

@testable import Tree

/// A receiver that records its events.
final class Recorder: EventReceiver {
    private let state = Mutex<(events: [(TreeEvent, [UInt64])], cancelled: [UInt64], isEnded: Bool)>(([], [], false))

    func receive(_ event: TreeEvent, for listeners: [UInt64]) {
        state.withLock { $0.events.append((event, listeners)) }
    }
    func end() { state.withLock { $0.isEnded = true } }
    func cancel(_ listeners: [UInt64]) { state.withLock { $0.cancelled += listeners } }

    /// The listeners that have received an event.
    var ids: Set<UInt64> { state.withLock { Set($0.events.flatMap(\.1)) } }
    var cancelled: [UInt64] { state.withLock { $0.cancelled } }
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Returns the events that a listener has received after its start.
    func events(for start: Start) -> [TreeEvent] {
        state.withLock { $0.events }
            .filter { $0.1.contains(start.listener.id) && $0.0.token > start.token }.map(\.0)
    }

    /// Returns the events that a listener has received after its start, as text: kind, path and data.
    func texts(for start: Start) -> [String] {
        events(for: start).map { event in
            let (path, data) = (
                String(decoding: event.path, as: UTF8.self), String(decoding: event.data, as: UTF8.self)
            )
            return "\(event.kind) \(path) \(data)"
        }
    }
}

/// A listener and the value at its start.
struct Start {
    let listener: Listener
    let json: String
    let token: SyncToken
}

extension TreeStore {
    func listen(
        at path: TreePath, matching query: TreeQuery? = nil, notifying receiver: any EventReceiver,
        maxBytes: Int = maxListenedBytes, began: () -> Void = {}
    ) async throws -> Start {
        var begun: Listener?
        let (json, token) = try await listen(
            at: path, matching: query, notifying: receiver, maxBytes: maxBytes
        ) {
            begun = $0
            began()
        } start: { value throws(TreeError) in
            var json: [UInt8] = []
            let rest = try value.json { piece in json += piece }
            return String(decoding: json + rest, as: UTF8.self)
        }
        return Start(listener: try #require(begun), json: json, token: token)
    }
}
