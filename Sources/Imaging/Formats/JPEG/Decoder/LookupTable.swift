/// A table of `1 << bitCount` entries that is indexed by as many bits of a bit stream.
///
/// No index can be out of bounds, whatever the bits are, which makes the decoder's inner loops safe without checks.
@safe
final class LookupTable<let bitCount: Int, Entry: BitwiseCopyable> {
    /// The `1 << bitCount` entries, which are written only by `init` and freed by `deinit`.
    private let entries: UnsafePointer<Entry>

    /// Creates a table from a function of the index.
    init(_ entry: (Int) -> Entry) {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: 1 << bitCount)
        for index in 0..<1 << bitCount { unsafe (entries + index).initialize(to: entry(index)) }
        unsafe self.entries = UnsafePointer(entries)
    }

    deinit { unsafe entries.deallocate() }

    /// The entry for the leading bits of a 64-bit window.
    @inline(__always)
    subscript(leadingBitsOf window: UInt64) -> Entry {
        // A number of `bitCount` bits is less than the number of entries.
        unsafe entries[Int(truncatingIfNeeded: window >> UInt64(64 &- bitCount))]
    }

    /// The entry for the low bits of a number; its other bits are ignored.
    @inline(__always)
    subscript(lowBitsOf number: Int) -> Entry {
        // A number of `bitCount` bits is less than the number of entries.
        unsafe entries[number & ((1 << bitCount) &- 1)]
    }
}
