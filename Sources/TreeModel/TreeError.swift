/// Every failure of the tree: what went wrong, where, and what to do about it.
public struct TreeError: Error, CustomStringConvertible {
    /// The kind of the failure, for programs.
    public let code: Code
    /// A description of what went wrong, and of the limit that was met, for people.
    public let message: String
    /// The path in the tree that the failure is about, where there is one.
    public let path: TreePath?
    /// The advice what to do about it, where something can be done.
    public let hint: String?
    /// The failure underneath, such as the database's own error.
    public let cause: (any Error)?

    /// Makes a failure.
    public init(
        _ code: Code, _ message: String, path: TreePath? = nil, hint: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.hint = hint
        self.cause = cause
    }

    /// Whether the same call may succeed later, unchanged: storage was busy, full or out of order.
    ///
    /// A write that failed so was not made, nor will a crash bring it back; or the message says that this is not
    /// certain, because the disk would not take even that. Reading tells, once the disk is whole.
    public var isTransient: Bool { Self.transientCodes.contains(code) }

    /// Whether the store itself is at fault, for good.
    public var isDamage: Bool { code == .corrupt || code == .missingUpdates }

    private static let transientCodes: Set<Code> = [.busy, .diskFull, .io, .readOnly, .outOfMemory]

    /// The code, the message and the hint in one line.
    public var description: String {
        let location = path.map { " at \($0)" } ?? ""
        let advice = hint.map { " (\($0))" } ?? ""
        return "\(code.rawValue)\(location): \(message)\(advice)"
    }
}

extension TreeError {
    /// The kind of a ``TreeError``; a struct, so that new kinds break no switch.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name that logs and protocols show.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A key is empty, too long, or has a forbidden character.
        public static let invalidKey = Code(rawValue: "invalid_key")
        /// A value cannot be stored: a number that is not finite.
        public static let invalidValue = Code(rawValue: "invalid_value")
        /// The text is no JSON, or JSON that no tree can hold.
        public static let invalidJSON = Code(rawValue: "invalid_json")
        /// A query asks for what no query can: a bound that does not go with the order, a limit below one.
        public static let invalidQuery = Code(rawValue: "invalid_query")
        /// The rules have no index for what a query orders by.
        public static let indexNotDefined = Code(rawValue: "index_not_defined")
        /// The text is no rules document; the message begins with the line and the column.
        public static let invalidRules = Code(rawValue: "invalid_rules")
        /// The rules of a tree that are stored cannot be read; whatever goes by them waits until others are stored.
        public static let unreadableRules = Code(rawValue: "rules_unreadable")
        /// A path, a value, a string or an update is larger than its limit.
        public static let tooLarge = Code(rawValue: "too_large")
        /// One path of a multi-path update lies above another.
        public static let conflictingPaths = Code(rawValue: "conflicting_paths")
        /// A precondition did not hold; nothing was written.
        public static let preconditionFailed = Code(rawValue: "precondition_failed")
        /// The rules of the tree do not allow it; nothing was read or written.
        public static let permissionDenied = Code(rawValue: "permission_denied")
        /// The change log no longer reaches back to the token.
        public static let tokenTooOld = Code(rawValue: "token_too_old")
        /// The token is ahead of the change log: it comes from another store, or from before a restore.
        public static let tokenUnknown = Code(rawValue: "token_unknown")
        /// A subscription was cut off because its reader was too slow.
        public static let overflow = Code(rawValue: "overflow")
        /// The store was written by a newer version.
        public static let unsupportedFormat = Code(rawValue: "unsupported_format")
        /// The store holds bytes that this format cannot have written.
        public static let corrupt = Code(rawValue: "corrupt")
        /// The store lacks updates that it had committed: its log was cut, or an older copy was put in its place.
        public static let missingUpdates = Code(rawValue: "missing_updates")
        /// The disk, or the quota, is full.
        public static let diskFull = Code(rawValue: "disk_full")
        /// Reading or writing the disk failed.
        public static let io = Code(rawValue: "io")
        /// Another process holds the database.
        public static let busy = Code(rawValue: "busy")
        /// The database file cannot be written.
        public static let readOnly = Code(rawValue: "read_only")
        /// The database file cannot be opened.
        public static let cannotOpen = Code(rawValue: "cannot_open")
        /// Memory ran out.
        public static let outOfMemory = Code(rawValue: "out_of_memory")
        /// The store has been closed.
        public static let closed = Code(rawValue: "closed")
        /// The reading task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The engine failed in a way that has no name of its own.
        public static let engine = Code(rawValue: "engine")
    }
}
