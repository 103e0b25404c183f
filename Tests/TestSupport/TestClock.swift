import Synchronization
import Tree
package import TreeModel

/// A clock that goes on by itself, and can be put forward.
package final class TestClock: Sendable {
    private let offset = Mutex(Duration.zero)

    package init() {}

    /// The present time.
    package func now() -> Timestamp { WallClock.now() + offset.withLock { $0 } }

    /// Puts the clock forward, by so many milliseconds.
    package func advance(by milliseconds: Int64 = 10) {
        offset.withLock { $0 += .milliseconds(milliseconds) }
    }
}

/// The milliseconds since 1970, so that tests can write a moment as a number.
extension Timestamp: ExpressibleByIntegerLiteral {
    package init(integerLiteral milliseconds: Int64) { self.init(milliseconds: milliseconds) }
}
