/// A moment, to the millisecond.
///
/// It is the number of milliseconds since 1970, UTC, in the tree, in JSON and as text. What is computed of it stays in
/// the range of such numbers, so that a time from outside, however far away, is no fault.
public struct Timestamp: Hashable, Sendable {
    /// The beginning of 1970, UTC.
    public static let epoch = Timestamp(milliseconds: 0)
    /// The first of all moments.
    public static let min = Timestamp(milliseconds: .min)
    /// The last of all moments.
    public static let max = Timestamp(milliseconds: .max)

    /// The milliseconds since 1970, UTC.
    public let milliseconds: Int64

    /// Makes a moment of the milliseconds since 1970, UTC.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Makes a moment of the seconds since 1970, UTC; the last or the first one where it would be beyond.
    package init(seconds: Int64) { self = .epoch + .seconds(seconds) }

    /// The whole seconds since 1970, UTC.
    package var seconds: Int64 { milliseconds / 1000 }

    /// A random moment in a range, which is not empty.
    package static func random(in moments: Range<Timestamp>) -> Timestamp {
        Timestamp(milliseconds: .random(in: moments.lowerBound.milliseconds..<moments.upperBound.milliseconds))
    }

    /// The moment that is later by a duration; the last or the first one where it would be beyond.
    public static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        let step = duration.milliseconds
        let (sum, overflows) = moment.milliseconds.addingReportingOverflow(step)
        return Timestamp(milliseconds: overflows ? (step < 0 ? .min : .max) : sum)
    }

    /// The moment that is earlier by a duration; the first or the last one where it would be beyond.
    public static func - (moment: Timestamp, duration: Duration) -> Timestamp { moment + (.zero - duration) }

    /// The time from the right moment to the left one.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .milliseconds(left.milliseconds) - .milliseconds(right.milliseconds)
    }
}

extension Timestamp: Comparable, CustomStringConvertible {
    /// Whether the left moment is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// The milliseconds since 1970, UTC.
    public var description: String { String(milliseconds) }
}

/// The bare number.
extension Timestamp: Codable {
    /// Reads the number.
    public init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes the number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

extension Timestamp: FieldValue {
    package init?(_ value: TreeValue) {
        guard let milliseconds = value.integerValue else { return nil }
        self.milliseconds = milliseconds
    }

    package var value: TreeValue { .integer(milliseconds) }
}

extension TreeValue {
    /// The moment that an integer stands for.
    package var timestampValue: Timestamp? { Timestamp(self) }
}

extension Duration {
    /// The whole milliseconds; the greatest or the least number where they would be beyond.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isBeyond) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflows || isBeyond ? (seconds < 0 ? .min : .max) : sum
    }
}
