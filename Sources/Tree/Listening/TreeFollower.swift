import Concurrency
package import TreeModel

/// The work that keeps what a process knows of a place in the tree up to date, whichever part or process writes there.
///
/// It listens at the place, reads it, and then takes each change. If the place cannot be read, the process keeps what
/// it knows, and another attempt follows. A change may be taken although the reading has included it.
package struct TreeFollower: Sendable {
    /// The longest delay before another attempt after a failure, in milliseconds.
    package var longestDelay: Int64 = 5000

    /// The place.
    package let path: TreePath
    private let tree: TreeStore
    private let bufferLimit: Int
    private let read: @Sendable () async throws -> Void
    private let take: @Sendable (Change) async throws -> Void

    /// - Parameters:
    ///   - bufferLimit: The number of changes by which the work may fall behind before it reads the place again.
    ///   - read: Reads the whole place.
    ///   - take: Takes one change, whose paths are relative to the place; nil to read the whole place at each change.
    package init(
        of path: TreePath, in tree: TreeStore, bufferLimit: Int = 1024,
        read: @escaping @Sendable () async throws -> Void,
        take: (@Sendable (Change) async throws -> Void)? = nil
    ) {
        self.path = path
        self.tree = tree
        self.bufferLimit = bufferLimit
        self.read = read
        self.take = take ?? { _ in try await read() }
    }

    /// Follows the place until the task is cancelled.
    ///
    /// - Parameter onFailure: Receives the first of several failures in a row.
    package func run(onFailure: @Sendable (any Error) -> Void) async {
        var failureCount = 0
        while !Task.isCancelled {
            do {
                let subscription = try await tree.subscribe(to: path, bufferLimit: bufferLimit, readsValue: false)
                try await read()
                failureCount = 0
                for try await change in subscription { try await take(change) }
                // It ends with the store, or with the task.
                throw TreeError.closed
            } catch let error as TreeError where error.code == .overflow {
                continue
            } catch {
                guard !Task.isCancelled else { return }
                failureCount += 1
                if failureCount == 1 { onFailure(error) }
                try? await Task.sleep(for: Backoff.delay(afterAttempt: failureCount, atMost: longestDelay))
            }
        }
    }
}
