/// The keys that an object in a text has had so far, to notice when one comes again.
///
/// As long as they come in order, the last one is enough.
struct KeySet {
    private var last: [UInt8] = []
    private var all: Set<[UInt8]>?

    /// Adds a key, as a segment of a path.
    ///
    /// - Parameter earlier: All keys before it; asked for once, when they cease to be in order.
    /// - Returns: Whether it is new.
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
