import Glibc

/// A named point in the code at which a test can crash this process, make a call fail, or hold it.
///
/// Failpoints are off unless the environment variable `TINTYPE_FAILPOINTS` was set when the process started; a
/// failpoint that is off costs the reading of a constant. ``FailpointRule`` explains the variable. New steps of the
/// code need failpoints of their own. `Tests/Reliability` traces a run, and then crashes at every failpoint that the
/// run passed.
///
/// Thread-safe. (Named kill points: RocksDB's `TEST_KILL_RANDOM`, FreeBSD's fail(9).)
public enum Failpoint: String, CaseIterable, Sendable {
    // Files; the place is a path.
    case create
    case write
    case fsync
    case rename
    case delete
    case makeFolder = "make-folder"
    case fsyncFolder = "fsync-folder"
    // The tree; these points have no places.
    case begin
    case commit
    case checkpoint
    // The steps of an upload; the place is `old-new`, the names of two states, or the name of the step.
    case step
    // The sending of a response; the place is the request, `METHOD /path`.
    case reply

    /// The moment before or after the step.
    public enum Side: String, CaseIterable, Sendable {
        case before
        case after
    }

    /// Whether any rule is set.
    public static var isOn: Bool { FailpointRules.inForce.isOn }
    /// The error in the rules of the environment; nil when they are valid, or when there are none.
    public static var problem: String? { FailpointRules.inForce.problem }

    /// The result of ``pass(_:at:)`` for a call that should be skipped but reported as successful.
    static let skipped: Int32 = -1

    /// Applies the rules to this side of the step; does not return when a rule requires a crash.
    ///
    /// - Parameter place: The path, states or request that the step concerns.
    /// - Returns: The `errno` with which the step must fail, or 0. Only `before` can fail: a step cannot be undone
    ///   after it.
    public func pass(_ side: Side, at place: @autoclosure () -> String = "") -> Int32 {
        Self.isOn ? FailpointRules.inForce.apply(self, side, place()) : 0
    }

    /// Makes a system call between the two sides of the failpoint.
    ///
    /// - Parameter call: Returns a negative number, and sets `errno`, when it fails.
    /// - Returns: The result of the call; `-errno`, with `errno` set, when a rule made it fail.
    public func around<Result: SignedInteger>(_ place: @autoclosure () -> String, _ call: () -> Result) -> Result {
        let failure = pass(.before, at: place())
        if failure == Self.skipped { return 0 }
        guard failure == 0 else {
            errno = failure
            return Result(-failure)
        }
        let result = call()
        if Self.isOn, result >= 0 { _ = pass(.after, at: place()) }
        return result
    }
}
