/// A table of `1 << bitCount` entries that is looked up by as many bits of a bit stream.
///
/// No index can leave it, whatever the bits are: that is what makes the decoder's inner loops safe without a check.
@safe
final class LookupTable<let bitCount: Int, Entry: BitwiseCopyable> {
    /// Written by `init` alone, freed by `deinit` alone, of `1 << bitCount` entries.
    private let entries: UnsafePointer<Entry>

    /// Makes a table of what a function says of each index.
    init(_ entry: (Int) -> Entry) {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: 1 << bitCount)
        for index in 0..<1 << bitCount { unsafe (entries + index).initialize(to: entry(index)) }
        unsafe self.entries = UnsafePointer(entries)
    }

    deinit { unsafe entries.deallocate() }

    /// The entry for the leading bits of a 64-bit window.
    @inline(__always)
    subscript(leadingBitsOf window: UInt64) -> Entry {
        // A number of `bitCount` bits is less than the count of entries.
        unsafe entries[Int(truncatingIfNeeded: window >> UInt64(64 &- bitCount))]
    }

    /// The entry for the low bits of a number; its other bits are not looked at.
    @inline(__always)
    subscript(lowBitsOf number: Int) -> Entry {
        // A number of `bitCount` bits is less than the count of entries.
        unsafe entries[number & ((1 << bitCount) &- 1)]
    }
}
