import TestSupport

/// A client that listens to the database, and compares the events with the expected ones.
final class StreamListener {
    let path: ModelPath
    /// The query; nil for the whole value of the path.
    let query: ModelQuery?
    let name: String
    private let connection: WireConnection
    /// The client's value after the received events.
    private var replayed = ModelNode.nothing
    /// The next expected events, word for word; only without a query.
    private var awaited: [(event: String, write: ModelWrite)] = []

    private let opened = ContinuousClock.now
    private var keepAliveCount = 0

    /// The number of keep-alives, a second apart, that count as silence, beside those that have arrived unread.
    private static let maxKeepAlives = 30

    /// Starts to listen.
    init(to request: ModelRequest, of run: ProtocolRun) async throws {
        path = request.path
        query = try? ModelQuery(request.parameters)
        let target = request.target(namespace: run.namespace)
        name = "the listener to \(target)"
        connection = try await WireConnection(socket: run.socketPath)
        try await connection.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        let head = await connection.read(through: "\r\n\r\n") ?? ""
        guard head.hasPrefix("HTTP/1.1 200 "), head.contains("Content-Type: text/event-stream; charset=utf-8\r\n")
        else {
            throw Mismatch("\(name) is refused: \(head)")
        }
        let start = try await nextEvent()
        replayed = try apply(start)
        let view = try run.model.view(at: path, matching: query).node
        guard start.hasPrefix("event: put\ndata: {\"path\":\"/\","), replayed == view.plain else {
            throw Mismatch("\(name) begins with \(start), there is \(NaiveJSON(plain: view).text)")
        }
    }

    /// Expects the event of a write.
    func expect(_ write: ModelWrite) {
        if query == nil, let event = write.event(at: path) { awaited.append((event.text, write)) }
    }

    /// Listens until all expected events have been received.
    func catchUp(with model: ProtocolModel) async throws {
        for (event, write) in awaited {
            let told = try await nextEvent(for: "\(event)\nover \(NaiveJSON(export: write.before[path]).text)")
            guard told.utf8.elementsEqual(event.utf8) else {
                throw Mismatch("\(name) is told\n\(told)\nand not\n\(event)")
            }
            replayed = try apply(told)
        }
        awaited = []
        let view = try model.view(at: path, matching: query).node.plain
        while replayed != view {
            let text = NaiveJSON(plain: view).text
            guard query != nil else {
                throw Mismatch("\(name) has \(NaiveJSON(plain: replayed).text)\nand not\n\(text)")
            }
            replayed = try apply(try await nextEvent(for: "what makes \(NaiveJSON(plain: replayed).text)\nto\n\(text)"))
        }
    }

    func close() async { await connection.close() }

    private func apply(_ event: String) throws -> ModelNode {
        guard let replayed = ModelEvent(text: event)?.applied(to: replayed) else {
            throw Mismatch("\(name) is told what makes no sense: \(event)")
        }
        return replayed
    }

    private func nextEvent(for awaited: String = "a beginning") async throws -> String {
        let unread = Int((ContinuousClock.now - opened).components.seconds) - keepAliveCount
        for _ in 0..<(max(0, unread) + Self.maxKeepAlives) {
            guard let text = await connection.read(through: "\n\n") else {
                throw Mismatch("\(name) is cut off, and waits for\n\(awaited)")
            }
            if text != "event: keep-alive\ndata: null\n\n" { return String(text.dropLast(2)) }
            keepAliveCount += 1
        }
        throw Mismatch("\(name) is not told\n\(awaited)")
    }
}

/// A difference between the service and the model.
struct Mismatch: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
