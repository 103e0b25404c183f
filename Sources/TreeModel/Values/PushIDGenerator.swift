import Synchronization

/// A generator of push ids, each greater than the previous one, even if the clock is set back.
///
/// It is safe to use from any thread. Within one millisecond, and while the clock is behind the last id, the random
/// part is incremented; in a new millisecond it is random again.
public final class PushIDGenerator: Sendable {
    private struct Last {
        var timestamp = Timestamp(milliseconds: -1)
        var digits = [UInt8](repeating: 0, count: 12)
    }

    private let clock: @Sendable () -> Timestamp
    private let random: @Sendable () -> UInt64
    private let last = Mutex(Last())

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - last: An id that all generated ids must be greater than; nil for none.
    ///   - clock: Returns the current time.
    ///   - random: Returns 64 random bits; the default is the system's generator.
    public init(
        after last: PushID? = nil,
        clock: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    ) {
        self.clock = clock
        self.random = random
        if let last {
            let digits = last.digits
            self.last.withLock {
                $0 = Last(timestamp: last.timestamp, digits: Array(digits[8...]))
            }
        }
    }

    /// Returns the next id, greater than all earlier ids of this generator.
    public func next() -> PushID {
        let now = min(max(clock(), .epoch), PushID.maxTimestamp)
        return last.withLock { last in
            if now > last.timestamp {
                last.timestamp = now
                last.digits = randomDigits()
            } else if !Self.increment(&last.digits) {
                // After 2⁷² ids in a millisecond, the next id is counted in the next millisecond.
                last.timestamp = min(last.timestamp + .milliseconds(1), PushID.maxTimestamp)
            }
            return PushID(timestamp: last.timestamp, randomDigits: last.digits)
        }
    }

    private func randomDigits() -> [UInt8] {
        [random(), random()].flatMap { bits in (0..<6).map { UInt8(truncatingIfNeeded: bits >> (6 * $0)) & 63 } }
    }

    /// Adds one to the digits; returns false if they wrapped around to zero.
    private static func increment(_ digits: inout [UInt8]) -> Bool {
        for index in digits.indices.reversed() {
            digits[index] = (digits[index] + 1) & 63
            if digits[index] != 0 { return true }
        }
        return false
    }
}
