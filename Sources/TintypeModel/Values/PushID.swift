#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A unique id that a device can make without the service: 20 characters in the order of time, in the form of Realtime
/// Database clients ("The 2^120 Ways to Ensure Unique Identifiers", Firebase blog, 2015).
///
/// It has 48 bits of milliseconds and 72 random bits, so that an entity has its final id before it is sent. The service
/// makes ids in the same form.
public struct PushID: RawRepresentable, Hashable, Sendable {
    /// The number of characters.
    public static let length = 20
    /// The characters in the order of ASCII.
    private static let alphabet = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)

    /// The id as text.
    public let rawValue: String

    /// Creates an id from its text; nil if it does not have 20 characters of the alphabet.
    public init?(rawValue: String) {
        guard rawValue.utf8.count == Self.length, rawValue.utf8.allSatisfy(Self.alphabet.contains) else { return nil }
        self.rawValue = rawValue
    }

    /// - Parameter digits: Twenty numbers below 64.
    private init(digits: [UInt8]) {
        rawValue = String(decoding: digits.map { Self.alphabet[Int($0 & 63)] }, as: UTF8.self)
    }

    /// The time at which the id was made, by the clock of its maker.
    public var time: Date {
        let digits = rawValue.utf8.prefix(8).map { Self.alphabet.firstIndex(of: $0) ?? 0 }
        return Date(timeIntervalSince1970: Double(digits.reduce(0) { $0 << 6 | Int64($1) }) / 1000)
    }
}

extension PushID: Comparable {
    /// Whether one id was made before another.
    public static func < (left: PushID, right: PushID) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}

extension PushID: CustomStringConvertible {
    /// The id as text.
    public var description: String { rawValue }
}

extension PushID {
    /// A maker of ids, each of which is greater than the one before, even within a millisecond or with a clock that is
    /// set back.
    public struct Generator: Sendable {
        private static let lastMillisecond = (Int64(1) << 48) - 1

        /// The time of the last id, in milliseconds since 1970.
        private var millisecond: Int64 = -1
        private var randomDigits = [UInt8](repeating: 0, count: PushID.length - 8)

        /// Creates a maker of ids.
        public init() {}

        /// Returns the next id.
        ///
        /// - Parameter time: The present time. Years before 1970 and after 10889 are brought into this range.
        public mutating func next(at time: Date) -> PushID {
            var random = SystemRandomNumberGenerator()
            return next(at: time, using: &random)
        }

        /// Returns the next id.
        ///
        /// - Parameters:
        ///   - time: The present time. Years before 1970 and after 10889 are brought into this range.
        ///   - random: The source of the random part.
        public mutating func next(at time: Date, using random: inout some RandomNumberGenerator) -> PushID {
            let seconds = time.timeIntervalSince1970
            // A date may be no number at all.
            let now = seconds > 0 ? Int64(min(seconds * 1000, Double(Self.lastMillisecond))) : 0
            if now > millisecond {
                millisecond = now
                for index in randomDigits.indices { randomDigits[index] = UInt8.random(in: 0..<64, using: &random) }
            } else if !increment() {
                // After 2⁷² ids in a millisecond, the next one is counted in the next millisecond.
                millisecond = min(millisecond + 1, Self.lastMillisecond)
            }
            let timeDigits = (0..<8).reversed().map { UInt8(truncatingIfNeeded: millisecond >> (6 * $0)) & 63 }
            return PushID(digits: timeDigits + randomDigits)
        }

        /// Adds one to the random part; returns false if it is zero then.
        private mutating func increment() -> Bool {
            for index in randomDigits.indices.reversed() {
                randomDigits[index] = (randomDigits[index] + 1) & 63
                if randomDigits[index] != 0 { return true }
            }
            return false
        }
    }
}
