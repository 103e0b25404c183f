internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The uploads of a session by their names, which the descriptions of their tasks contain: the system keeps them.
final class SessionUploads: NSObject, URLSessionDataDelegate, Sendable {
    /// The largest size of an answer, in bytes.
    private static let answerLimit = 1 << 20

    private struct Upload {
        let task: URLSessionTask
        var body = Data()
        var result: Result<TransportResponse, any Error>?
        var waiters: [UUID: AsyncStream<Int64>.Continuation] = [:]
    }

    private struct State {
        var uploads: [String: Upload] = [:]
        /// The tasks of forgotten uploads that the session has not ended yet.
        var forgotten: Set<Int> = []
    }

    private let state = Guarded(State())

    /// Makes the task of an upload, unless one of this name is known.
    ///
    /// - Returns: The new task, which is suspended; nil if the upload is known.
    /// - Throws: What the body throws.
    func start(_ name: String, _ makeTask: @Sendable () throws -> URLSessionTask) throws -> URLSessionTask? {
        try state.withLock { state in
            guard state.uploads[name] == nil else { return nil }
            let task = try makeTask()
            state.uploads[name] = Upload(task: task)
            return task
        }
    }

    /// Adds a task that an earlier run of the app has made, and starts it if that run did not come so far.
    func add(_ task: URLSessionTask) {
        change(task) { _ in }
        if task.state == .suspended { task.resume() }
    }

    /// Returns the numbers of bytes that an upload has sent, until it ends; nil if no upload of this name is known.
    func sentCounts(of name: String) -> AsyncStream<Int64>? {
        let (counts, continuation) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.uploads[name]?.waiters[id] = nil }
        }
        let isUnderWay: Bool? = state.withLock { state in
            guard let upload = state.uploads[name] else { return nil }
            if upload.result == nil { state.uploads[name]?.waiters[id] = continuation }
            return upload.result == nil
        }
        // Outside of the lock, which the end of the sequence takes.
        if isUnderWay == false { continuation.finish() }
        return isUnderWay == nil ? nil : counts
    }

    /// The result of an upload; nil if it is under way, or unknown.
    func result(of name: String) -> Result<TransportResponse, any Error>? {
        state.withLock { $0.uploads[name]?.result }
    }

    /// Ends an upload, if it is under way, and forgets it.
    func remove(_ name: String) {
        let removed = state.withLock { state in
            let removed = state.uploads.removeValue(forKey: name)
            if let removed, removed.result == nil { state.forgotten.insert(removed.task.taskIdentifier) }
            return removed
        }
        guard let removed else { return }
        for waiter in removed.waiters.values { waiter.finish() }
        #if canImport(FoundationNetworking)
            // This `cancel` waits for the session's queue.
            DispatchQueue.global().async { removed.task.cancel() }
        #else
            removed.task.cancel()
        #endif
    }

    /// Changes the upload of a task, which may be one that an earlier run of the app has made.
    ///
    /// - Returns: The result of the body; nil if the upload was forgotten, and for a task without a name.
    @discardableResult
    private func change<Result: Sendable>(
        _ task: URLSessionTask, _ body: @Sendable (inout Upload) -> Result
    ) -> Result? {
        state.withLock { state in
            guard let name = task.taskDescription, !state.forgotten.contains(task.taskIdentifier) else { return nil }
            var upload = state.uploads[name] ?? Upload(task: task)
            guard upload.task.taskIdentifier == task.taskIdentifier else { return nil }
            defer { state.uploads[name] = upload }
            return body(&upload)
        }
    }

    // MARK: Reports of the session

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        change(dataTask) { upload in
            if upload.body.count + data.count <= Self.answerLimit { upload.body.append(data) }
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        for waiter in change(task, { Array($0.waiters.values) }) ?? [] { waiter.yield(totalBytesSent) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // Within the lock: on Linux, a task that was cancelled meanwhile must not continue.
        change(task) { _ in completionHandler(nil) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let waiters = change(task) { upload in
            defer { upload.waiters = [:] }
            upload.result = error.map { .failure(TransportError(system: $0)) } ?? Self.answer(to: task, upload.body)
            return Array(upload.waiters.values)
        }
        for waiter in waiters ?? [] { waiter.finish() }
        _ = state.withLock { $0.forgotten.remove(task.taskIdentifier) }
    }

    private static func answer(to task: URLSessionTask, _ body: Data) -> Result<TransportResponse, any Error> {
        guard let response = task.response as? HTTPURLResponse else {
            return .failure(TransportError(.malformed, "the answer is not HTTP"))
        }
        return .success(
            TransportResponse(status: response.statusCode, headers: HeaderFields(response), body: body))
    }
}

extension HeaderFields {
    /// Creates the header fields of an answer.
    init(_ response: HTTPURLResponse) {
        self.init()
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { self[name] = value }
        }
    }
}
