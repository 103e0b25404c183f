import Glibc

/// The system's clock, as the tree counts time.
public enum WallClock {
    /// Milliseconds since 1970, UTC.
    public static func milliseconds() -> Int64 {
        var time = timespec()
        guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
