internal import Glibc

/// The reason why a worker ended without an answer.
enum WorkerFailure: Error, Sendable, Hashable {
    /// The worker was ended by a signal that it caused itself.
    case signal(Int32)
    case exit(Int32)
    /// The worker used up its processor time.
    case cpuTimeExceeded
    /// The worker reached its limit of elapsed time, although it was free to compute.
    case timedOut
    /// The worker ran out of memory and reported it.
    case outOfMemory
    /// The worker's answer is malformed.
    case malformedMessage(String)
    /// The worker closed its socket and kept running.
    case closedSocket
    /// The worker had more threads than any decoder needs.
    case tooManyThreads
    /// The worker was ended by a signal from outside, or by the kernel to free memory.
    case killed(Int32)
    /// The worker was stopped, or was given no processor, until its limit of elapsed time.
    case stalled

    /// The signals that a fault of the decoder can cause. All others are sent from outside: the sandbox lets a worker
    /// send itself only SIGABRT.
    private static let ownSignals: Set<Int32> = [
        SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS, SIGXFSZ,
    ]

    /// Interprets the result of `wait4(2)`; `cpuLimit` is the worker's limit of processor time in seconds since its
    /// start.
    init(_ end: WorkerProcess.End, cpuLimit: Int) {
        let signal = end.status & 0x7F
        self =
            switch signal {
            case 0: .exit((end.status >> 8) & 0xFF)
            // SIGXCPU is sent at the limit, SIGKILL at the hard limit. The kernel counts ticks, which may be slightly
            // more than the time that was used.
            case let signal where [SIGXCPU, SIGKILL].contains(signal) && end.cpuSeconds >= Double(cpuLimit) - 0.5:
                .cpuTimeExceeded
            case let signal where Self.ownSignals.contains(signal): .signal(signal)
            default: .killed(signal)
            }
    }

    /// Whether the image cannot have caused the failure.
    var isFromOutside: Bool {
        switch self {
        case .killed, .stalled: true
        default: false
        }
    }

    /// Returns the permanent failure of an image that ended two workers, if this is the second failure; a transient
    /// error if the worker was ended from outside.
    func error(_ limits: WorkerLimits) -> IsolationError {
        switch self {
        case .killed, .stalled:
            return IsolationError(
                .workerKilled, "the process that decoded it was stopped from outside (\(self))",
                hint: "Check whether the machine is short of memory. The photo is tried again later.")
        case .timedOut, .cpuTimeExceeded:
            let limit = self == .timedOut ? "\(limits.clockTimeout.components.seconds)" : "\(limits.cpuSeconds)"
            let clock = self == .timedOut ? "on the clock" : "of processor time"
            return IsolationError(
                .decoderTimedOut, "decoding it did not end within \(limit) seconds \(clock)",
                hint: "Open the picture in an editor and save it again, or send a smaller one.")
        case .outOfMemory:
            return IsolationError(
                .tooMuchMemory, "decoding it needs more than \(limits.memoryBytes / 1_048_576) MiB of memory",
                hint: "Send a smaller picture, or save it without progressive or interlaced encoding.")
        case .signal, .exit, .malformedMessage, .closedSocket, .tooManyThreads:
            return IsolationError(
                .decoderCrashed, "the decoder crashed on it (\(self))",
                hint: "Open the picture in an editor and save it again.")
        }
    }
}

extension WorkerFailure: CustomStringConvertible {
    /// A short description of the failure.
    var description: String {
        switch self {
        case .signal(SIGSYS): "a forbidden system call"
        case .signal(let number): "it ended by \(Self.name(number))"
        case .exit(let code): "it ended with code \(code)"
        case .cpuTimeExceeded: "it used up its processor time"
        case .timedOut: "it did not end"
        case .outOfMemory: "it had no memory left"
        case .malformedMessage(let what): "its answer has \(what)"
        case .closedSocket: "it closed its socket"
        case .tooManyThreads: "it started too many threads"
        case .killed(let number): "it was ended by \(Self.name(number))"
        case .stalled: "it was kept from running"
        }
    }

    private static func name(_ signal: Int32) -> String { names[signal] ?? "signal \(signal)" }

    private static let names: [Int32: String] = [
        SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT",
        SIGFPE: "SIGFPE", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGKILL: "SIGKILL", SIGTERM: "SIGTERM",
    ]
}
