import Synchronization
import Tree
package import TreeModel

/// A clock that runs by itself, and can be set ahead.
package final class TestClock: Sendable {
    private let offset = Mutex(Duration.zero)

    package init() {}

    /// The present time.
    package func now() -> Timestamp { WallClock.now() + offset.withLock { $0 } }

    /// Sets the clock ahead, by this many milliseconds.
    package func advance(by milliseconds: Int64 = 10) {
        offset.withLock { $0 += .milliseconds(milliseconds) }
    }
}

/// The milliseconds since 1970, so that tests can write a moment as a number.
extension Timestamp: ExpressibleByIntegerLiteral {
    package init(integerLiteral milliseconds: Int64) { self.init(milliseconds: milliseconds) }
}
