import Synchronization

/// A value that several tasks of a test change.
package final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: Value) {
        mutex = Mutex(value)
    }

    /// The current value.
    package var value: Value { mutex.withLock { $0 } }

    /// Changes the value, and returns the body's result.
    @discardableResult
    package func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        mutex.withLock { body(&$0) }
    }
}
