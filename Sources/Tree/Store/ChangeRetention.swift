/// The limits of the change log, by number, age and size. A change is kept while it is within all of them.
public struct ChangeRetention: Hashable, Sendable {
    /// The number of changes that are kept, at least; up to an eighth more may remain.
    public var count: Int
    /// The largest age of a change, in milliseconds; older changes are dropped with the next update.
    public var ageMilliseconds: Int64
    /// The largest size of the log, in bytes. It may be exceeded a little for a moment; the last change always stays.
    public var byteCount: Int

    /// Creates the limits. The default is 100,000 changes of the last 30 days, in 256 MiB.
    public init(
        count: Int = 100_000, ageMilliseconds: Int64 = 30 * 24 * 3_600_000, byteCount: Int = 256 << 20
    ) {
        self.count = max(1, count)
        self.ageMilliseconds = max(0, ageMilliseconds)
        self.byteCount = max(1, byteCount)
    }
}
