internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The exchanges of a `URLSession`, to which it hands what the session reports.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    /// The exchanges under way by the ids of their tasks; nil after the end.
    private let exchanges = Guarded<[Int: Exchange]?>([:])

    /// Starts a task for an exchange.
    ///
    /// - Throws: `CancellationError` after the end.
    func start(_ exchange: Exchange, _ makeTask: @Sendable () -> URLSessionTask) throws -> URLSessionTask {
        try exchanges.withLock { exchanges in
            guard exchanges != nil else { throw CancellationError() }
            let task = makeTask()
            exchanges?[task.taskIdentifier] = exchange
            return task
        }
    }

    /// Ends all exchanges with `CancellationError`. No further one can start.
    func end() {
        let ended = exchanges.withLock { exchanges in
            defer { exchanges = nil }
            return exchanges ?? [:]
        }
        for exchange in ended.values { exchange.fail(CancellationError()) }
    }

    private subscript(task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0?[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        receive(response, of: dataTask)
        completionHandler(.allow)
    }

    private func receive(_ response: URLResponse, of task: URLSessionTask) {
        guard let exchange = self[task] else { return }
        guard let response = response as? HTTPURLResponse else {
            return exchange.fail(TransportError(.malformed, "the answer is not HTTP"))
        }
        exchange.receive(Exchange.Head(status: response.statusCode, headers: HeaderFields(response)))
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self[dataTask]?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        self[task]?.sent(totalBytesSent)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // This Foundation ends the process if a task that was cancelled meanwhile continues.
            self[task]?.unlessEnded { completionHandler(nil) }
        #else
            completionHandler(nil)
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // The default is to wait for ever after a 401 with `WWW-Authenticate: Basic`; this is an error at once.
            let isOfHTTP = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
            completionHandler(isOfHTTP ? .rejectProtectionSpace : .performDefaultHandling, nil)
        #else
            completionHandler(.performDefaultHandling, nil)
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = exchanges.withLock { $0?.removeValue(forKey: task.taskIdentifier) }
        guard let exchange else { return }
        exchange.finish(error.map { TransportError(system: $0) })
    }
}
