/// An error that prevented an image from being rendered in a separate process.
public struct IsolationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An error code: lower-case words joined by underscores; stable, and suitable for JSON.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code as it appears in JSON and logs.
        public let rawValue: String

        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The image made two fresh workers crash, violate the sandbox, or send malformed answers.
        public static let decoderCrashed = Code(rawValue: "decoder_crashed")
        /// The image kept two fresh workers busy beyond their time limits.
        public static let decoderTimedOut = Code(rawValue: "decoder_timed_out")
        /// The image needs more memory than a worker's limit.
        public static let tooMuchMemory = Code(rawValue: "too_much_memory")
        /// The image could not be read from its file descriptor.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The workers were stopped from outside, or by the kernel to free memory.
        public static let workerKilled = Code(rawValue: "worker_killed")
        /// A worker could not be started at the moment.
        public static let workerUnavailable = Code(rawValue: "worker_unavailable")
        /// This system lacks a feature that is needed to isolate a worker.
        public static let isolationUnavailable = Code(rawValue: "isolation_unavailable")

        /// The codes of permanent failures, which are caused by the image's bytes.
        public static let poison: Set<Code> = [.decoderCrashed, .decoderTimedOut, .tooMuchMemory]
    }

    /// The code of the error, for programs.
    public let code: Code
    /// A sentence for people that describes the error; it contains no file name, so callers prepend theirs.
    public let message: String
    /// Advice that accompanies the message.
    public let hint: String

    init(_ code: Code, _ message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The message and the hint, in one line.
    public var description: String { "\(message). \(hint)" }

    /// Whether the image is poison and must not be decoded again.
    public var isPoison: Bool { Code.poison.contains(code) }

    /// Whether the same image may be rendered later, because it did not cause the error.
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
