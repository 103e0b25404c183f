package import Hummingbird
import Synchronization

/// Work for a request that is done after the response, so that the client does not wait for it.
///
/// The next request of the connection does wait: it finds the work done, and a client has no more work in progress than
/// it has connections.
package final class AfterResponse: Sendable {
    private let work = Mutex<(@Sendable () async -> Void)?>(nil)

    /// Sets the work; it is done even if the client disconnects before it has the response.
    package func set(_ work: @escaping @Sendable () async -> Void) {
        self.work.withLock { $0 = work }
    }

    /// Returns a response after which the work is done, if there is any.
    package func attached(to response: Response) -> Response {
        guard let work = work.withLock({ $0.take() }) else { return response }
        var response = response
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            do {
                try await body.write(writer)
            } catch {
                await work()
                throw error
            }
            await work()
        }
        return response
    }
}
