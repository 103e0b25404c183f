/// An error of the tree: a description of the problem, its path, and advice.
public struct TreeError: Error, CustomStringConvertible {
    /// The kind of the error, for programs.
    public let code: Code
    /// The description of the error for people, including the limit that was exceeded.
    public let message: String
    /// The path in the tree that the error concerns; nil if there is none.
    public let path: TreePath?
    /// Advice for solving the problem; nil if there is none.
    public let hint: String?
    /// The underlying error, such as that of the database; nil if there is none.
    public let cause: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, path: TreePath? = nil, hint: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.hint = hint
        self.cause = cause
    }

    /// Whether the same call may succeed later, because storage was busy, full or faulty.
    ///
    /// A write that failed with such an error has no effect, not even after a crash. One case is an exception: if the
    /// disk also refuses the commit that undoes the write, the outcome is open, and the message says so. A read after
    /// the disk has been repaired shows the outcome.
    public var isTransient: Bool { Self.transientCodes.contains(code) }

    /// Whether the store itself is damaged, so that a retry does not help.
    public var isDamage: Bool { code == .corrupt || code == .missingUpdates }

    private static let transientCodes: Set<Code> = [.busy, .diskFull, .io, .readOnly, .outOfMemory]

    /// The code, the message and the hint in one line.
    public var description: String {
        let location = path.map { " at \($0)" } ?? ""
        let advice = hint.map { ". \($0)" } ?? ""
        return "\(code.rawValue)\(location): \(message)\(advice)"
    }
}

extension TreeError {
    /// The kind of a ``TreeError``; a struct, so that new kinds do not break `switch` statements.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name that appears in logs and protocols.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A key is empty, too long, or contains a forbidden character.
        public static let invalidKey = Code(rawValue: "invalid_key")
        /// A value cannot be stored: a number that is not finite.
        public static let invalidValue = Code(rawValue: "invalid_value")
        /// The text is not JSON, or is JSON that the tree cannot store.
        public static let invalidJSON = Code(rawValue: "invalid_json")
        /// A query is invalid: for example, a bound does not fit the order, or a limit is below one.
        public static let invalidQuery = Code(rawValue: "invalid_query")
        /// The rules do not define the index that a query needs.
        public static let indexNotDefined = Code(rawValue: "index_not_defined")
        /// The text is not a rules document; the message begins with the line and the column.
        public static let invalidRules = Code(rawValue: "invalid_rules")
        /// The stored rules of a tree cannot be read; operations that depend on them fail until valid rules are stored.
        public static let unreadableRules = Code(rawValue: "rules_unreadable")
        /// A path, a value, a string or an update is larger than its limit.
        public static let tooLarge = Code(rawValue: "too_large")
        /// One path of a multi-path update is above another.
        public static let conflictingPaths = Code(rawValue: "conflicting_paths")
        /// A precondition did not hold; nothing was written.
        public static let preconditionFailed = Code(rawValue: "precondition_failed")
        /// The rules of the tree do not allow the operation; nothing was read or written.
        public static let permissionDenied = Code(rawValue: "permission_denied")
        /// The change log no longer reaches back to the token.
        public static let tokenTooOld = Code(rawValue: "token_too_old")
        /// The token is ahead of the change log: it belongs to another store, or was issued before a restore.
        public static let tokenUnknown = Code(rawValue: "token_unknown")
        /// A subscription was ended because its reader was too slow.
        public static let overflow = Code(rawValue: "overflow")
        /// The store was written by a newer version.
        public static let unsupportedFormat = Code(rawValue: "unsupported_format")
        /// The store contains bytes that this format cannot have written.
        public static let corrupt = Code(rawValue: "corrupt")
        /// Committed updates are missing from the store: its log was truncated, or it was replaced by an older copy.
        public static let missingUpdates = Code(rawValue: "missing_updates")
        /// The disk, or the quota, is full.
        public static let diskFull = Code(rawValue: "disk_full")
        /// Reading from or writing to the disk failed.
        public static let io = Code(rawValue: "io")
        /// Another process has locked the database.
        public static let busy = Code(rawValue: "busy")
        /// The database file cannot be written.
        public static let readOnly = Code(rawValue: "read_only")
        /// The database file cannot be opened.
        public static let cannotOpen = Code(rawValue: "cannot_open")
        /// There is not enough memory.
        public static let outOfMemory = Code(rawValue: "out_of_memory")
        /// The store has been closed.
        public static let closed = Code(rawValue: "closed")
        /// The reading task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The engine failed for a reason that has no code of its own.
        public static let engine = Code(rawValue: "engine")
    }
}
