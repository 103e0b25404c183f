/// A snapshot whose scans can be broken off.
struct CancellableSnapshot: EngineSnapshot {
    let base: any EngineSnapshot
    /// Throws when it is time to stop.
    let check: () throws(TreeError) -> Void

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
        try check()
        return try base.value(for: key)
    }

    func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]? {
        try check()
        return try base.firstKey(in: range, reverse: reverse)
    }

    func scan(
        _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) {
        try base.scan(range, reverse: reverse) { key, value throws(TreeError) in
            try check()
            return try visit(key, value)
        }
    }
}
