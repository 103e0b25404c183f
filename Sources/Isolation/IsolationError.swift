/// The reason why an image could not be rendered in a process of its own.
public struct IsolationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A reason code: lower case words joined by underscores, stable, fit for JSON.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code as it is written in JSON and logs.
        public let rawValue: String

        /// Makes a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The image made two fresh workers crash, do what they may not, or send malformed answers.
        public static let decoderCrashed = Code(rawValue: "decoder_crashed")
        /// The image kept two fresh workers busy beyond their limits.
        public static let decoderTimedOut = Code(rawValue: "decoder_timed_out")
        /// The image needs more memory than a worker may have.
        public static let tooMuchMemory = Code(rawValue: "too_much_memory")
        /// The image could not be read from its descriptor.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The workers were stopped by somebody else, or by the kernel, which wanted their memory.
        public static let workerKilled = Code(rawValue: "worker_killed")
        /// A worker could not be started just now.
        public static let workerUnavailable = Code(rawValue: "worker_unavailable")
        /// This system lacks what keeps a worker in.
        public static let isolationUnavailable = Code(rawValue: "isolation_unavailable")

        /// The codes of permanent failures: the image's bytes are at fault.
        public static let poison: Set<Code> = [.decoderCrashed, .decoderTimedOut, .tooMuchMemory]
    }

    /// The reason, for programs.
    public let code: Code
    /// A sentence for a person that says what happened; it knows no file name, so callers put theirs before it.
    public let message: String
    /// The advice that goes with the message.
    public let hint: String

    init(_ code: Code, _ message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The message and the hint, in one line.
    public var description: String { "\(message). \(hint)" }

    /// Whether the image is poison: nobody is to decode it again.
    public var isPoison: Bool { Code.poison.contains(code) }

    /// Whether the same image may be rendered later: the fault was not the image's.
    public var isTransient: Bool { !isPoison }
}

extension IsolationError {
    static func unavailable(_ what: String) -> IsolationError {
        IsolationError(
            .isolationUnavailable, "photos cannot be rendered in processes of their own here: \(what)",
            hint: "Allow what is missing, or render in this process.")
    }

    static func noWorker(_ why: String) -> IsolationError {
        IsolationError(
            .workerUnavailable, "a process to render in could not be started: \(why)", hint: "Try again later.")
    }

    static func unreadable(errno code: Int32) -> IsolationError {
        IsolationError(
            .unreadable, "the photo cannot be read: \(String(errno: code))",
            hint: "Check the disk, and try again later.")
    }
}
