public import Foundation
public import TintypeClient
public import TintypeModel

/// A transport without a service: it answers with JSON documents, one for each entity or list, so that previews and unit
/// tests need no server.
///
/// A document has the path of its entity without `/v1/`: `posts/-P6x` is the answer to `GET /v1/posts/-P6x`, and
/// `people/ann/feed` the one to `GET /v1/people/ann/feed`; in a folder these are the files `posts/-P6x.json` and
/// `people/ann/feed.json`. The query does not matter. Other methods have documents of their own, with the method as the
/// last part of the path: `posts/-P6x/likes/ann/PUT`. A path without a document is answered with a 404 that names it.
/// A stream of events stays open, and delivers what `send(_:id:data:to:)` gives.
public final class StubTransport: Transport {
    private typealias Stream = (path: String, continuation: AsyncThrowingStream<Data, any Error>.Continuation)

    private struct State {
        var documents: [String: JSONValue]
        var failures: [String: (failure: StubFailure, repetition: StubFailure.Repetition)] = [:]
        var requests: [TransportRequest] = []
        var streams: [Stream] = []
    }

    private let state: Guarded<State>
    private let folder: URL?

    /// Creates a transport with documents in memory.
    public init(_ documents: [String: JSONValue]) {
        let pairs = documents.map { (Self.trimmed($0.key), $0.value) }
        state = Guarded(State(documents: Dictionary(pairs) { $1 }))
        folder = nil
    }

    /// Creates a transport with the documents of a folder, which are read when they are requested.
    public init(folder: URL) {
        state = Guarded(State(documents: [:]))
        self.folder = folder
    }

    /// The requests so far, in their order.
    public var requests: [TransportRequest] { state.withLock { $0.requests } }

    /// Sets the document of a path, or removes it with nil; a file of the path then counts again.
    public func set(_ document: JSONValue?, at path: String) {
        state.withLock { $0.documents[Self.trimmed(path)] = document }
    }

    /// Lets requests to a path fail, whatever their method.
    public func fail(_ path: String, with failure: StubFailure, _ repetition: StubFailure.Repetition = .once) {
        state.withLock { $0.failures[Self.trimmed(path)] = (failure, repetition) }
    }

    /// Ends the failures of a path.
    public func succeed(_ path: String) { state.withLock { $0.failures[Self.trimmed(path)] = nil } }

    /// Sends an event to the open streams of a path.
    public func send(_ name: String, id: String? = nil, data: JSONValue, to path: String) throws {
        let json = String(decoding: try JSONEncoder().encode(data), as: UTF8.self)
        let event = Data(("event: \(name)\n" + (id.map { "id: \($0)\n" } ?? "") + "data: \(json)\n\n").utf8)
        let streams = state.withLock { $0.streams }
        for stream in streams where stream.path == Self.trimmed(path) { stream.continuation.yield(event) }
    }

    /// Ends the open streams of a path, as a service does that stops.
    public func endStreams(of path: String, throwing error: TransportError? = nil) {
        let path = Self.trimmed(path)
        let ended = state.withLock { state in
            let ended = state.streams.filter { $0.path == path }
            state.streams.removeAll { $0.path == path }
            return ended
        }
        for stream in ended { stream.continuation.finish(throwing: error) }
    }

    /// Returns the document of the request's path.
    ///
    /// - Throws: `TransportError` if the path shall fail so; `CancellationError` if the task was cancelled.
    public func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse {
        try Task.checkCancellation()
        let (path, problem) = try note(request)
        if let problem { return try TransportResponse(problem) }
        if request.body.count > 0 { progress?(request.body.count) }
        let key = ["GET", "HEAD"].contains(request.method) ? path : path + "/" + request.method
        guard let document = try document(key) else {
            return try TransportResponse(Problem(.notFound, status: 404, message: "the stub has no \(key).json"))
        }
        return TransportResponse(
            status: 200, headers: ["Content-Type": "application/json"],
            body: request.method == "HEAD" ? Data() : try JSONEncoder().encode(document))
    }

    /// Returns an open stream of events.
    ///
    /// - Throws: `TransportError` if the path shall fail so; `CancellationError` if the task was cancelled.
    public func stream(for request: TransportRequest) async throws -> TransportStream {
        try Task.checkCancellation()
        let (path, problem) = try note(request)
        let (chunks, continuation) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        if let problem {
            let answer = try TransportResponse(problem)
            continuation.yield(answer.body)
            continuation.finish()
            return TransportStream(status: answer.status, headers: answer.headers, chunks: chunks)
        }
        state.withLock { $0.streams.append((path, continuation)) }
        return TransportStream(status: 200, headers: ["Content-Type": "text/event-stream"], chunks: chunks)
    }

    private func note(_ request: TransportRequest) throws -> (path: String, problem: Problem?) {
        let path = Self.trimmed(request.url.path)
        let failure = state.withLock { state in
            state.requests.append(request)
            let failure = state.failures[path]
            if case .once = failure?.repetition { state.failures[path] = nil }
            return failure?.failure
        }
        switch failure {
        case nil: return (path, nil)
        case .problem(let problem): return (path, problem)
        case .transport(let error): throw error
        }
    }

    private func document(_ key: String) throws -> JSONValue? {
        if let document = state.withLock({ $0.documents[key] }) { return document }
        guard let folder, !key.split(separator: "/").contains("..") else { return nil }
        let file = folder.appendingPathComponent(key + ".json")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do {
            return try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: file))
        } catch {
            throw TransportError(.malformed, "\(file.path): \(error)")
        }
    }

    /// Returns a path without `/v1/` and `.json`.
    private static func trimmed(_ path: String) -> String {
        var parts = path.split(separator: "/").map(String.init)
        if parts.first == "v1" { parts.removeFirst() }
        let joined = parts.joined(separator: "/")
        return joined.hasSuffix(".json") ? String(joined.dropLast(5)) : joined
    }
}
