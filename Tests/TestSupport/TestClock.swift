import Synchronization
import Tree

/// A clock that goes on by itself, and can be put forward.
package final class TestClock: Sendable {
    private let offset = Mutex<Int64>(0)

    package init() {}

    /// The present time, in milliseconds since the epoch.
    package func now() -> Int64 { WallClock.milliseconds() + offset.withLock { $0 } }

    /// Puts the clock forward, by so many milliseconds.
    package func advance(by milliseconds: Int64 = 10) {
        offset.withLock { $0 += milliseconds }
    }
}
