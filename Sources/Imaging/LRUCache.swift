internal import Synchronization

/// A cache of the values that were asked for last, each found by its key, for values that are dear to make. For any
/// thread.
final class LRUCache<Key: Equatable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let key: Key
        let value: Value
        let byteCount: Int
    }

    private let maxCount: Int
    private let maxBytes: Int
    /// The entries; the one that was asked for last is the last one.
    private let entries = Mutex<[Entry]>([])

    /// - Parameter maxBytes: The size of all values that are kept; the last one is kept however large it is.
    init(maxCount: Int, maxBytes: Int) {
        self.maxCount = maxCount
        self.maxBytes = maxBytes
    }

    /// The value of a key; made when it is not there.
    ///
    /// - Parameter byteCount: The memory that keeping the key and the value costs.
    func value(of key: Key, byteCount: (Value) -> Int, make: () -> Value) -> Value {
        if let known = find(key) { return known }
        // Outside of the lock: two threads may make one value each, and the second one's is kept.
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
