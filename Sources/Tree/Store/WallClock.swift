import Glibc
import TreeModel

/// The system's clock in the time format of the tree.
public enum WallClock {
    /// Returns the current time.
    public static func now() -> Timestamp {
        var time = timespec()
        guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return .epoch }
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
