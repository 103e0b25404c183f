import HTTPTypes
import Hummingbird
import NIOCore
import Transport

/// A request's body that, when its reading begins, sends `100 Continue` to a client that waits for it.
struct ContinueAwaitingBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: RequestBody
    let channel: any Channel

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var iterator: RequestBody.AsyncIterator
        fileprivate var channel: (any Channel)?

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            channel?.triggerUserOutboundEvent(BodyWanted(), promise: nil)
            channel = nil
            return try await iterator.next(isolation: actor)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: body.makeAsyncIterator(), channel: channel) }
}
