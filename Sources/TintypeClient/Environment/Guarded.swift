#if canImport(os)
    private import os
#else
    private import Synchronization
#endif

/// A value that one thread at a time may touch.
package struct Guarded<Value: Sendable>: ~Copyable, Sendable {
    #if canImport(os)
        private let lock: OSAllocatedUnfairLock<Value>
    #else
        private let lock: Mutex<Value>
    #endif

    /// Creates it with its first value.
    package init(_ value: Value) {
        #if canImport(os)
            lock = OSAllocatedUnfairLock(initialState: value)
        #else
            lock = Mutex(value)
        #endif
    }

    /// Calls a body with the value. The body must be short and must not touch the same value.
    package borrowing func withLock<Result: Sendable>(
        _ body: @Sendable (inout Value) throws -> Result
    ) rethrows -> Result {
        try lock.withLock { try body(&$0) }
    }
}
