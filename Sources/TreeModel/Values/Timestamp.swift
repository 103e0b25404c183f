/// A point in time, in milliseconds.
///
/// It is the number of milliseconds since 1970, UTC, in the tree, in JSON and as text. Arithmetic saturates at the
/// limits of the number, so that an external time, however far away, causes no overflow.
public struct Timestamp: Hashable, Sendable {
    /// The beginning of 1970, UTC.
    public static let epoch = Timestamp(milliseconds: 0)
    /// The earliest possible time.
    public static let min = Timestamp(milliseconds: .min)
    /// The latest possible time.
    public static let max = Timestamp(milliseconds: .max)

    /// The number of milliseconds since 1970, UTC.
    public let milliseconds: Int64

    /// Creates a timestamp from milliseconds since 1970, UTC.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Creates a timestamp from seconds since 1970, UTC; it saturates at the earliest or latest time.
    package init(seconds: Int64) { self = .epoch + .seconds(seconds) }

    /// The number of whole seconds since 1970, UTC.
    package var seconds: Int64 { milliseconds / 1000 }

    /// Returns a random time in a range, which must not be empty.
    package static func random(in moments: Range<Timestamp>) -> Timestamp {
        Timestamp(milliseconds: .random(in: moments.lowerBound.milliseconds..<moments.upperBound.milliseconds))
    }

    /// Returns the time that is later by a duration; it saturates at the earliest or latest time.
    public static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        let step = duration.milliseconds
        let (sum, overflows) = moment.milliseconds.addingReportingOverflow(step)
        return Timestamp(milliseconds: overflows ? (step < 0 ? .min : .max) : sum)
    }

    /// Returns the time that is earlier by a duration; it saturates at the earliest or latest time.
    public static func - (moment: Timestamp, duration: Duration) -> Timestamp { moment + (.zero - duration) }

    /// Returns the duration from the right time to the left one.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .milliseconds(left.milliseconds) - .milliseconds(right.milliseconds)
    }
}

extension Timestamp: Comparable, CustomStringConvertible {
    /// Whether the left time is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// The milliseconds since 1970, UTC, as text.
    public var description: String { String(milliseconds) }
}

/// The encoded form is the bare number.
extension Timestamp: Codable {
    /// Decodes the number.
    public init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes the number.
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
    /// The time that an integer value represents; nil for other values.
    package var timestampValue: Timestamp? { Timestamp(self) }
}

extension Duration {
    /// The number of whole milliseconds; it saturates at the limits of the type.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isBeyond) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflows || isBeyond ? (seconds < 0 ? .min : .max) : sum
    }
}
