/// Why a photo could not be rendered in a process of its own.
public struct IsolationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A reason code: lower case words joined by underscores, stable, fit for JSON.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code as it is written in JSON and logs.
        public let rawValue: String

        /// Makes a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Two workers that had seen nothing else crashed on the photo, did what they may not, or answered nonsense.
        public static let decoderCrashed = Code(rawValue: "decoder_crashed")
        /// Two workers that had seen nothing else did not come to an end with the photo.
        public static let decoderTimedOut = Code(rawValue: "decoder_timed_out")
        /// The photo needs more memory than a worker may have.
        public static let tooMuchMemory = Code(rawValue: "too_much_memory")
        /// The photo could not be read from its descriptor.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The workers were stopped by somebody else, or by the kernel, which wanted their memory.
        public static let workerKilled = Code(rawValue: "worker_killed")
        /// No worker could be started just now.
        public static let workerUnavailable = Code(rawValue: "worker_unavailable")
        /// This system lacks what keeps a worker in.
        public static let isolationUnavailable = Code(rawValue: "isolation_unavailable")

        /// The codes of permanent failures: the photo's bytes are at fault.
        public static let poison: Set<Code> = [.decoderCrashed, .decoderTimedOut, .tooMuchMemory]
    }

    /// The reason, for programs.
    public let code: Code
    /// What happened, for a person; it knows no file name, so callers prefix theirs.
    public let message: String
    /// What to do about it.
    public let hint: String

    init(_ code: Code, _ message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The message and the hint, in one line.
    public var description: String { "\(message). \(hint)" }

    /// Whether the photo is poison: it is not to be decoded again, by nobody.
    public var isPoison: Bool { Code.poison.contains(code) }

    /// Whether the same photo may be rendered later: the fault was not the photo's.
    public var isTransient: Bool { !isPoison }
}

extension IsolationError {
    static func unavailable(_ what: String) -> IsolationError {
        IsolationError(
            .isolationUnavailable, "photos cannot be rendered in processes of their own here: \(what)",
            hint: "Allow it, or render in this process.")
    }

    static func noWorker(_ why: String) -> IsolationError {
        IsolationError(.workerUnavailable, "no process to render in could be started: \(why)", hint: "Try again later.")
    }

    static func unreadable(errno code: Int32) -> IsolationError {
        IsolationError(
            .unreadable, "the photo cannot be read: \(String(errno: code))", hint: "Look at the disk; try again later.")
    }
}
