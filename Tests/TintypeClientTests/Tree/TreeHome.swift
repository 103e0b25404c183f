import DaemonSupport
import Foundation
import TintypeClient
import TintypeModel

/// An app's own entity.
struct Event: TreeEntity, Hashable {
    var id: EntityID<Event>
    var title: String
    var begins: Date?
    var places: Int?
    var tags: [String]?
}

/// A running service whose tree has a part for everybody.
struct TreeHome {
    let service: ServiceProcess
    let client: ServiceClient
    /// The clock of the client.
    let clock: PacedClock
    /// The transport of the client.
    let wire: Wire

    var events: TreeCollection<Event> { client.tree("open/events").of(Event.self) }

    static let rules = """
        {"rules": {
            "open": {
                ".read": true, ".write": true,
                "events": {".indexOn": ["begins", "address/city"]}, "numbers": {".indexOn": ".value"},
                "guarded": {"$id": {".validate": "newData.hasChildren(['title'])"}}
            },
            "own": {"$uid": {".read": "auth.uid === $uid", ".write": "auth.uid === $uid"}}
        }}
        """

    /// - Parameter isSignedIn: Whether Ann is signed in.
    static func run(
        _ arguments: [String] = [], isSignedIn: Bool = false, _ body: (TreeHome) async throws -> Void
    ) async throws {
        try await ServiceProcess.run(arguments) { service in
            try await URLSessionTransport.run { transport in
                try await service.setRules(rules)
                let (clock, wire) = (PacedClock(), Wire(transport))
                let client = ServiceClient(
                    service: service.address, keychain: MemoryKeychain(), transport: wire, clock: clock)
                if isSignedIn {
                    try await service.addUser("ann")
                    try await client.session.signIn(
                        email: "ann@example.org", password: ServiceProcess.password(of: "ann"))
                }
                try await body(TreeHome(service: service, client: client, clock: clock, wire: wire))
            }
        }
    }

    /// Returns the first snapshot that fulfils a condition.
    static func first<Snapshot>(
        of iterator: inout TreeSnapshots<Snapshot>.Iterator, where isWanted: (Snapshot) -> Bool
    ) async throws -> Snapshot {
        while let snapshot = try await iterator.next() {
            if isWanted(snapshot) { return snapshot }
        }
        throw CancellationError()
    }

    /// Waits for the end of the snapshots, and returns the error.
    static func end<Snapshot>(of iterator: inout TreeSnapshots<Snapshot>.Iterator) async -> (any Error)? {
        do {
            while try await iterator.next() != nil {}
            return nil
        } catch { return error }
    }
}

extension ServiceProcess {
    /// Replaces the rules of the tree.
    func setRules(_ rules: String) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("rules-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(rules.utf8).write(to: file)
        try await command(["rules", "set", file.path])
    }
}

/// A clock whose waits are short, and which remembers how long they should have been.
actor PacedClock: DeviceClock {
    private(set) var waits: [Duration] = []

    nonisolated var now: Date { Date() }

    func sleep(for duration: Duration) async throws {
        waits.append(duration)
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// A transport that counts requests, and that can lose answers.
actor Wire: Transport {
    private let inner: any Transport
    private var lossCount = 0
    /// The requests that were sent, and streams.
    private(set) var requests: [TransportRequest] = []

    init(_ inner: any Transport) { self.inner = inner }

    /// Loses the answers to the next writes, which the service carries out.
    func loseAnswers(_ count: Int) { lossCount = count }

    func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse {
        requests.append(request)
        let response = try await inner.response(to: request, progress: progress)
        guard request.method != "GET", lossCount > 0 else { return response }
        lossCount -= 1
        throw TransportError(.interrupted, "the test loses this answer")
    }

    func stream(for request: TransportRequest) async throws -> TransportStream {
        requests.append(request)
        return try await inner.stream(for: request)
    }
}
