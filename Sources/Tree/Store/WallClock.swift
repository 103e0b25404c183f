import Glibc
import TreeModel

/// The system's clock, as the tree counts time.
public enum WallClock {
    /// The present time.
    public static func now() -> Timestamp {
        var time = timespec()
        guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return .epoch }
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
