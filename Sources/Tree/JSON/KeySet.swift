/// The keys of an object in a text so far, used to detect duplicates.
///
/// As long as the keys are in order, only the last one is stored.
struct KeySet {
    private var last: [UInt8] = []
    private var all: Set<[UInt8]>?

    /// Adds a key, as a segment of a path.
    ///
    /// - Parameter earlier: Returns all previous keys; called once, when the keys are first out of order.
    /// - Returns: Whether the key is new.
    mutating func insert(
        _ segment: Span<UInt8>, earlier: () throws(TreeError) -> [[UInt8]]
    ) throws(TreeError) -> Bool {
        if all == nil {
            if last.span.precedes(segment) {
                last.removeAll(keepingCapacity: true)
                last.append(segment)
                return true
            }
            all = Set(try earlier())
            all?.insert(last)
        }
        return all?.insert(segment.copied).inserted ?? true
    }
}
