internal import Glibc

/// How a worker ended that was asked for renditions.
enum WorkerDeath: Error, Sendable, Hashable {
    case signal(Int32)
    case exit(Int32)
    /// The time on the clock was over.
    case timedOut
    /// It ran out of memory, and said so.
    case outOfMemory
    /// Its answer cannot be one.
    case nonsense(String)

    /// Reads what `waitpid(2)` gave.
    init(status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
    }

    /// The verdict on a photo that ended two workers, the second of them so.
    func verdict(_ limits: WorkerLimits) -> IsolationError {
        switch self {
        case .timedOut, .signal(SIGXCPU):
            let limit = self == .timedOut ? "\(limits.patience.components.seconds)" : "\(limits.cpuSeconds)"
            let clock = self == .timedOut ? "on the clock" : "of processor time"
            return IsolationError(
                .decoderTimedOut, "decoding it did not end within \(limit) seconds \(clock)",
                hint: "Open the picture in an editor and save it again, or send a smaller one.")
        case .outOfMemory:
            return IsolationError(
                .tooMuchMemory, "decoding it needs more than \(limits.memoryBytes / 1_048_576) MiB of memory",
                hint: "Send a smaller picture, or save it without progressive or interlaced encoding.")
        case .signal, .exit, .nonsense:
            return IsolationError(
                .decoderCrashed, "the decoder broke on it (\(self))",
                hint: "Open the picture in an editor and save it again.")
        }
    }
}

extension WorkerDeath: CustomStringConvertible {
    /// What happened, in a few words.
    var description: String {
        switch self {
        case .signal(SIGSYS): "a forbidden system call"
        case .signal(SIGKILL): "it was killed, or hung up"
        case .signal(let number): Self.names[number].map { "it ended by \($0)" } ?? "it ended by signal \(number)"
        case .exit(let code): "it ended with code \(code)"
        case .timedOut: "it did not end"
        case .outOfMemory: "it had no memory left"
        case .nonsense(let what): "its answer has \(what)"
        }
    }

    private static let names: [Int32: String] = [
        SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT",
        SIGFPE: "SIGFPE", SIGXCPU: "SIGXCPU",
    ]
}
