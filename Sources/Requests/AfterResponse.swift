package import Hummingbird
import Synchronization

/// Work of a request that runs after its response has been sent, so that the client does not wait for it.
///
/// The next request on the same connection waits until the work is done. It therefore sees the results, and no client
/// has more work in progress than it has connections.
package final class AfterResponse: Sendable {
    private let work = Mutex<(@Sendable () async -> Void)?>(nil)

    /// Sets the work, in place of earlier work. It is done even if the client disconnects before it has the response.
    package func set(_ work: @escaping @Sendable () async -> Void) {
        self.work.withLock { $0 = work }
    }

    /// Returns the response with a body that does the work after its last byte, or after an error; the same response if
    /// there is no work.
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
