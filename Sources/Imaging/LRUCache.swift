internal import Synchronization

/// A cache of the most recently used values, by key, for values that are expensive to create. It may be used on any
/// thread.
final class LRUCache<Key: Equatable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let key: Key
        let value: Value
        let byteCount: Int
    }

    private let maxCount: Int
    private let maxBytes: Int
    /// The entries, from the least to the most recently used.
    private let entries = Mutex<[Entry]>([])

    /// - Parameter maxBytes: The maximum size of all values in bytes; the latest value is kept however large it is.
    init(maxCount: Int, maxBytes: Int) {
        self.maxCount = maxCount
        self.maxBytes = maxBytes
    }

    /// Returns the value of a key, which is created if it is not cached.
    ///
    /// - Parameter byteCount: Returns the memory that the key and the value need, in bytes.
    func value(of key: Key, byteCount: (Value) -> Int, make: () -> Value) -> Value {
        if let known = find(key) { return known }
        // Outside the lock: two threads may create a value each, and the second one's is kept.
        let value = make()
        add(Entry(key: key, value: value, byteCount: byteCount(value)))
        return value
    }

    private func find(_ key: Key) -> Value? {
        entries.withLock { entries in
            guard let index = entries.lastIndex(where: { $0.key == key }) else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.value
        }
    }

    private func add(_ entry: Entry) {
        entries.withLock { entries in
            entries.removeAll { $0.key == entry.key }
            entries.append(entry)
            var byteCount = entries.reduce(0) { $0 + $1.byteCount }
            while entries.count > maxCount || byteCount > maxBytes, entries.count > 1 {
                byteCount -= entries.removeFirst().byteCount
            }
        }
    }
}
