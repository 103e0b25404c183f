import Synchronization

/// A value that several tasks of a test note things in.
package final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: Value) {
        mutex = Mutex(value)
    }

    /// What was noted so far.
    package var value: Value { mutex.withLock { $0 } }

    /// Notes something, and returns what the body does.
    @discardableResult
    package func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        mutex.withLock { body(&$0) }
    }
}
