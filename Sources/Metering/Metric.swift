/// The declaration of a metric: the lines above its series in the exposition.
public struct Metric: Sendable {
    /// The kinds of metrics, by their names in the exposition.
    public enum Kind: String, Sendable {
        /// A number that only grows.
        case counter
        /// A number that goes up and down.
        case gauge
        /// The distribution of many observations.
        case histogram
    }

    /// The name, which ends in the unit.
    public let name: String
    /// The kind of its series.
    public let kind: Kind
    /// The meaning, as one sentence.
    public let help: String
    /// The buckets of a histogram; unused for the other kinds.
    let buckets: Buckets

    /// - Parameter name: The name; characters that a name may not contain become underscores.
    public init(_ name: String, _ kind: Kind, _ help: String, buckets: Buckets = .seconds) {
        self.name = Self.valid(name)
        self.kind = kind
        self.help = help
        self.buckets = buckets
    }

    /// Returns a valid Prometheus name: letters, digits and underscores, with no digit at the beginning.
    static func valid(_ name: String) -> String {
        let text = name.utf8.map { Self.mayBeInName($0) ? Character(Unicode.Scalar($0)) : "_" }
        return text.first.map { $0.isNumber } == false ? String(text) : "_" + String(text)
    }

    private static func mayBeInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

/// The upper bounds of a histogram's buckets, in the integers that are recorded.
public struct Buckets: Sendable {
    /// The largest number of bounds of a histogram.
    static let maxCount = 31

    /// The bounds, ascending; larger values belong to a last bucket without a bound.
    let bounds: [Int64]
    /// The recorded integer that the exposition shows as 1.
    let one: Int64

    /// - Parameters:
    ///   - bounds: The upper bounds, ascending; those beyond the 31st are ignored.
    ///   - one: The recorded integer that is shown as 1, such as 1,000,000,000 for nanoseconds that are shown as
    ///     seconds.
    public init(_ bounds: [Int64], one: Int64 = 1) {
        self.bounds = Array(bounds.prefix(Self.maxCount))
        self.one = one
    }

    /// Times, recorded in nanoseconds and shown in seconds: three buckets for each power of ten from 100 µs, the time
    /// of a read or of an fsync on a fast disk, to 60 s, the time after which clients give up. No bucket is wider than
    /// a factor of 3, which bounds the error of every quantile, at a cost of 18 counters per series.
    public static let seconds = Buckets(
        [
            100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
            250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000, 30_000_000_000,
            60_000_000_000,
        ], one: 1_000_000_000)

    /// Small counts: the powers of two up to 512.
    public static let counts = Buckets((0...9).map { 1 << $0 })

    /// Returns the index of the bucket that a value belongs to.
    func index(of value: Int64) -> Int {
        var (low, high) = (0, bounds.count)
        while low < high {
            let middle = (low + high) / 2
            if value <= bounds[middle] { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns a recorded value in the form that the exposition shows.
    func text(_ value: Int64) -> String {
        value % one == 0 ? String(value / one) : "\(Double(value) / Double(one))"
    }
}
