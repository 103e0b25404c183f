/// The time for which the change log keeps a change: as long as it is among the last ones, not too old, and the log not too large.
public struct ChangeRetention: Hashable, Sendable {
    /// The number of changes that are kept, at least; an eighth more may be.
    public var count: Int
    /// The age that a change may reach, in milliseconds; older ones go with the next update.
    public var ageMilliseconds: Int64
    /// The size that the log may reach, in bytes, or a little more for a moment; the last change stays in any case.
    public var byteCount: Int

    /// Makes a rule; 100,000 changes of the last 30 days, in 256 MiB, unless said otherwise.
    public init(
        count: Int = 100_000, ageMilliseconds: Int64 = 30 * 24 * 3_600_000, byteCount: Int = 256 << 20
    ) {
        self.count = max(1, count)
        self.ageMilliseconds = max(0, ageMilliseconds)
        self.byteCount = max(1, byteCount)
    }
}
