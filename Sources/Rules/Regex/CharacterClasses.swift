/// The partition of all Unicode characters by some sets: characters that are in the same sets form one class.
struct CharacterClasses {
    /// The largest number of classes: their numbers are bytes.
    static let maxCount = 256

    /// The first character of each run of characters in the same sets.
    private let starts: [UInt32]
    /// The class of each ASCII character.
    private let ascii: [UInt8]

    /// The number of classes.
    var count: Int { starts.count }

    init(_ sets: [CharacterRanges]) {
        var bounds: Set<UInt32> = [0]
        for range in sets.lazy.flatMap(\.ranges) {
            bounds.insert(range.lowerBound)
            if range.upperBound < CharacterRanges.last { bounds.insert(range.upperBound + 1) }
        }
        let starts = bounds.sorted()
        self.starts = starts
        ascii = (0..<128).map { UInt8(truncatingIfNeeded: Self.run(of: $0, in: starts)) }
    }

    private static func run(of scalar: UInt32, in starts: [UInt32]) -> Int {
        starts.firstPosition { $0 > scalar } - 1
    }

    func `class`(of scalar: UInt32) -> UInt8 {
        scalar < 128 ? ascii[Int(scalar)] : UInt8(truncatingIfNeeded: Self.run(of: scalar, in: starts))
    }

    /// Returns the classes of the characters in a set.
    func set(of ranges: CharacterRanges) -> ClassSet {
        var set = ClassSet()
        for range in ranges.ranges {
            var run = Self.run(of: range.lowerBound, in: starts)
            while run < starts.count, starts[run] <= range.upperBound {
                set.insert(UInt8(truncatingIfNeeded: run))
                run += 1
            }
        }
        return set
    }
}

/// A set of classes of characters.
struct ClassSet {
    private var words = InlineArray<4, UInt64>(repeating: 0)

    func contains(_ character: UInt8) -> Bool { words[Int(character >> 6)] >> UInt64(character & 63) & 1 == 1 }

    mutating func insert(_ character: UInt8) { words[Int(character >> 6)] |= 1 << UInt64(character & 63) }
}

/// An iterator over the characters of valid UTF-8.
struct ScalarReader {
    private(set) var offset = 0

    mutating func next(in utf8: Span<UInt8>) -> UInt32? {
        guard offset < utf8.count else { return nil }
        let first = UInt32(utf8[offset])
        offset += 1
        guard first >= 0xC0 else { return first }
        let (count, mask): (Int, UInt32) = first < 0xE0 ? (1, 0x1F) : first < 0xF0 ? (2, 0x0F) : (3, 0x07)
        var scalar = first & mask
        for _ in 0..<count where offset < utf8.count {
            scalar = scalar << 6 | UInt32(utf8[offset] & 0x3F)
            offset += 1
        }
        return scalar
    }
}
