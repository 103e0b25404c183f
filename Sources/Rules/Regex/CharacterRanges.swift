/// A set of Unicode characters, as ranges of their numbers.
struct CharacterRanges: Hashable {
    /// The ranges, sorted and disjoint, with gaps between them.
    private(set) var ranges: [ClosedRange<UInt32>]

    static let last: UInt32 = 0x10FFFF
    static let digits = CharacterRanges([0x30...0x39])
    static let wordCharacters = CharacterRanges([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let spaces = CharacterRanges([0x09...0x0D, 0x20...0x20])
    /// The characters that `.` does not match: the ends of lines (ECMA-262 §12.3).
    static let lineEnds = CharacterRanges([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])

    init(_ ranges: [ClosedRange<UInt32>] = []) { self.ranges = Self.joined(ranges) }

    init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }

    private static func joined(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var joined: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let before = joined.last, range.lowerBound <= before.upperBound + 1 {
                joined[joined.count - 1] = before.lowerBound...max(before.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    /// All other characters.
    var inverted: CharacterRanges {
        var inverted: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { inverted.append(next...range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        if next <= Self.last { inverted.append(next...Self.last) }
        return CharacterRanges(inverted)
    }

    func union(_ other: CharacterRanges) -> CharacterRanges { CharacterRanges(ranges + other.ranges) }

    /// These characters, and their counterparts of the other case.
    var withBothCases: CharacterRanges {
        var all = ranges
        for range in ranges {
            for pair in Self.casePairs(in: range) { all.append(pair.other...pair.other) }
        }
        return CharacterRanges(all)
    }

    /// The pairs of characters that differ only in case, sorted by the first one; one for one (Unicode, simple case
    /// mappings).
    private static let casePairs: [(one: UInt32, other: UInt32)] = {
        var pairs: [(one: UInt32, other: UInt32)] = []
        for value in 0x41...UInt32(0x1E943) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for mapping in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
                guard let other = mapping.unicodeScalars.first, mapping.unicodeScalars.count == 1, other != scalar
                else { continue }
                // An ASCII letter never equals a non-ASCII character (ECMA-262 §22.2.2.7.3).
                guard other.isASCII == scalar.isASCII else { continue }
                pairs += [(value, other.value), (other.value, value)]
            }
        }
        return pairs.sorted { $0.one < $1.one }
    }()

    private static func casePairs(in range: ClosedRange<UInt32>) -> ArraySlice<(one: UInt32, other: UInt32)> {
        let start = casePairs.firstPosition { $0.one >= range.lowerBound }
        let end = casePairs.firstPosition { $0.one > range.upperBound }
        return casePairs[start..<end]
    }
}

extension Array {
    /// Returns the position of the first element for which a condition holds; it must hold for all elements after that,
    /// too.
    func firstPosition(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
