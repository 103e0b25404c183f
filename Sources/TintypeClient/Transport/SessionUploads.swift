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
        var waiters: [AsyncStream<Int64>.Continuation] = []
    }

    private let uploads = Guarded<[String: Upload]>([:])

    /// Starts the task of an upload, unless there is one of this name.
    ///
    /// - Returns: The new task; nil if there is one.
    func start(_ name: String, _ makeTask: @Sendable () -> URLSessionTask) -> URLSessionTask? {
        uploads.withLock { uploads in
            guard uploads[name] == nil else { return nil }
            let task = makeTask()
            uploads[name] = Upload(task: task)
            return task
        }
    }

    /// Adds a task that an earlier run of the app has started.
    func add(_ task: URLSessionTask) { change(task) { _ in } }

    /// Returns the numbers of bytes that an upload has sent, until it ends; nil if there is no upload of this name.
    func sentCounts(of name: String) -> AsyncStream<Int64>? {
        let (counts, continuation) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(1))
        let isKnown = uploads.withLock { uploads in
            guard let upload = uploads[name] else { return false }
            if upload.result == nil { uploads[name]?.waiters.append(continuation) } else { continuation.finish() }
            return true
        }
        return isKnown ? counts : nil
    }

    /// The result of an upload; nil if it is under way, or unknown.
    func result(of name: String) -> Result<TransportResponse, any Error>? { uploads.withLock { $0[name]?.result } }

    /// Forgets an upload.
    ///
    /// - Returns: Its task; nil if there is none.
    func remove(_ name: String) -> URLSessionTask? {
        let removed = uploads.withLock { uploads in
            let removed = uploads.removeValue(forKey: name)
            // What the session reports of the task from now on is of no upload.
            removed?.task.taskDescription = nil
            return removed
        }
        for waiter in removed?.waiters ?? [] { waiter.finish() }
        return removed?.task
    }

    /// Changes the upload of a task, which may be one that an earlier run of the app has started.
    ///
    /// - Returns: The result of the body; nil if the upload was forgotten.
    @discardableResult
    private func change<Result: Sendable>(
        _ task: URLSessionTask, _ body: @Sendable (inout Upload) -> Result
    ) -> Result? {
        uploads.withLock { uploads in
            guard let name = task.taskDescription else { return nil }
            var upload = uploads[name] ?? Upload(task: task)
            guard upload.task.taskIdentifier == task.taskIdentifier else { return nil }
            defer { uploads[name] = upload }
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
        for waiter in change(task, \.waiters) ?? [] { waiter.yield(totalBytesSent) }
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
            defer { upload.waiters = [] }
            upload.result = error.map { .failure(TransportError(system: $0)) } ?? Self.answer(to: task, upload.body)
            return upload.waiters
        }
        for waiter in waiters ?? [] { waiter.finish() }
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
