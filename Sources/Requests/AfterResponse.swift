package import Hummingbird
import Synchronization

/// What is done for a request once it is answered, so that the client does not wait for it.
///
/// The connection's next request does: whoever asks again on the same connection finds it done, and no client has more of
/// it under way than it has connections.
package final class AfterResponse: Sendable {
    private let work = Mutex<(@Sendable () async -> Void)?>(nil)

    /// Says what is to be done; it is done even if the client is gone before it has the answer.
    package func set(_ work: @escaping @Sendable () async -> Void) {
        self.work.withLock { $0 = work }
    }

    /// An answer after which the work is done, if there is any.
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
