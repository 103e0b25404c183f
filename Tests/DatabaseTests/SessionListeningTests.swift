import Access
import Database
import Synchronization
import TestSupport
import Testing
import Tree

/// A recorder of the events of its listeners.
private final class Recorder: EventReceiver {
    private let state = Mutex<(events: [UInt64: [String]], isEnded: Bool)>(([:], false))

    func receive(_ event: TreeEvent, for listeners: [UInt64]) {
        let path = String(decoding: event.path, as: UTF8.self)
        let text = "\(event.kind) \(path) \(String(decoding: event.data, as: UTF8.self))"
        state.withLock { for id in listeners { $0.events[id, default: []].append(text) } }
    }
    func cancel(_ listeners: [UInt64]) {}
    func end() { state.withLock { $0.isEnded = true } }

    func events(of listener: Listener) -> [String] { state.withLock { $0.events[listener.id] ?? [] } }
    var isEnded: Bool { state.withLock { $0.isEnded } }
}

/// A listener, and the value at its beginning.
private struct Start: Sendable {
    let listener: Listener
    let text: String
}

@Suite("A session listens at many paths at once", .timeLimit(.minutes(20)))
struct SessionListeningTests {
    private func set(_ path: TreePath, _ text: String, in session: DatabaseSession) async throws {
        var write = try session.set(DatabasePath(path))
        try write.receive(Array(text.utf8).span)
        _ = try await session.commit(write)
    }

    private func listen(
        _ request: ListenRequest, _ session: DatabaseSession, _ receiver: any EventReceiver
    ) async throws -> Start {
        var begun: Listener?
        let start = try await session.listen(
            to: request, in: TextFrame(beginning: "start ", end: "."), notifying: receiver
        ) { begun = $0 }
        return Start(listener: try #require(begun), text: try #require(start.value).text)
    }

    @Test("Each listener begins with the current value, and gets the changes of it, until it stops")
    func manyPlaces() async throws {
        let recorder = Recorder()
        try await withDatabase { fixture in
            let session = fixture.stranger
            try await set("a", "{\"x\":1,\"y\":2}", in: session)
            let first = try TreeQuery(order: .key, from: nil, to: nil, limit: .first(1), isDescending: false)
            let whole = try await listen(ListenRequest(at: "a"), session, recorder)
            let child = try await listen(ListenRequest(at: "a/x"), session, recorder)
            let query = try await listen(ListenRequest(at: "a", matching: first), session, recorder)
            let other = try await listen(ListenRequest(at: "b"), session, recorder)
            #expect(whole.text == "start {\"x\":1,\"y\":2}.")
            #expect(child.text == "start 1." && query.text == "start {\"x\":1}." && other.text == "start null.")

            try await set("a/x", "5", in: session)
            session.stopListening(child.listener)
            try await set("a/x", "6", in: session)
            try await eventually {
                recorder.events(of: whole.listener).count == 2 && !recorder.events(of: query.listener).isEmpty
            }
            #expect(recorder.events(of: whole.listener) == ["put /x 5", "put /x 6"])
            #expect(recorder.events(of: child.listener).allSatisfy { $0 == "put / 5" })
            #expect(recorder.events(of: other.listener).isEmpty)
            #expect(fixture.logLines.filter { $0.hasPrefix("listened") }.count == 4)
            #expect(fixture.logLines.contains("listened to by anonymous at /a/x"))
        }
        #expect(recorder.isEnded, "the store has been closed")
    }

    @Test("The change log can be read from any position that it contains")
    func changes() async throws {
        try await withDatabase { fixture in
            let session = fixture.stranger
            let oldest = try await session.token(of: .oldest)
            try await set("a", "1", in: session)
            let first = try await session.token(of: .now)
            try await set("a", "2", in: session)
            await session.waitForChange(after: first, atMost: .seconds(100))
            #expect(try await session.changes(since: oldest, at: "a", limit: 10, .plain).entries.count == 2)
            let page = try await session.changes(since: first, at: "a", limit: 10, .plain)
            #expect(page.entries.map(\.token) == [try await session.token(of: .now)])
            let unknown = try await session.token(of: .token(SyncToken(sequence: 99)))
            let code = await outcome {
                _ = try await session.changes(since: unknown, at: "a", limit: 10, .plain)
            }
            #expect(code == "resnapshot")
        }
    }
}
