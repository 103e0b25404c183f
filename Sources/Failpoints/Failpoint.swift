import Glibc

/// A place between two steps of an upload's life where a test can crash this process, make a call fail, or hold it.
///
/// Off unless the environment variable `TINTYPE_FAILPOINTS` was set when the process began; then a point costs a look at a
/// constant. What is written there is explained at ``FailpointRule``. A new step gets its point where it is made, and
/// `Tests/Reliability` finds it there: it traces a run, and then crashes at all that it met.
///
/// Thread-safe. (Named kill points: RocksDB's `TEST_KILL_RANDOM`, FreeBSD's fail(9).)
public enum Failpoint: String, CaseIterable, Sendable {
    // Files; their place is a path.
    case create
    case write
    case fsync
    case rename
    case delete
    case makeFolder = "make-folder"
    case fsyncFolder = "fsync-folder"
    // The tree; it has no places.
    case begin
    case commit
    case checkpoint
    // An upload goes on; its place is `old-new`, the names of its states, or the name of the step.
    case step
    // An answer goes out; its place is the request, `METHOD /path`.
    case reply

    /// On which side of the step.
    public enum Side: String, CaseIterable, Sendable {
        case before
        case after
    }

    /// Whether a rule is in force for anything.
    public static var isOn: Bool { FailpointRules.inForce.isOn }
    /// Why the rules of the environment cannot be understood; nil when they can, or when there are none.
    public static var problem: String? { FailpointRules.inForce.problem }

    /// What ``pass(_:at:)`` returns when a call is not to be made, and is to be reported as made.
    static let skipped: Int32 = -1

    /// Does what the rules say of this side of the step; does not return when they say crash.
    ///
    /// - Parameter place: Where the step is made.
    /// - Returns: The `errno` with which the step has to fail, or 0. Only `before` can fail: what is done is done.
    public func pass(_ side: Side, at place: @autoclosure () -> String = "") -> Int32 {
        Self.isOn ? FailpointRules.inForce.apply(self, side, place()) : 0
    }

    /// Makes a system call between the two sides of the point.
    ///
    /// - Parameter call: Returns a negative number, and sets `errno`, when it fails.
    /// - Returns: What the call returned; `-errno`, with `errno` set, when a rule made it fail.
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
