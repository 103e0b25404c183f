internal import CSandbox
internal import Glibc
import Synchronization

/// The process of a worker, from its start to its end. It is killed, and waited for, when its last reference goes.
final class WorkerProcess: Sendable {
    /// The end of a process as `wait4(2)` tells it.
    struct End: Sendable, Hashable {
        /// The status as `waitpid(2)` has it.
        let status: Int32
        /// The processor time that the process had used, in seconds.
        let cpuSeconds: Double
    }

    let id: pid_t
    /// The processor time since its start, in seconds, at which it gets SIGXCPU.
    private let cpuLimit = Atomic(Int.max)
    private let ending = Mutex<End?>(nil)

    /// Starts a program that has `socket` for its descriptor 3.
    ///
    /// - Parameter isBackground: Whether it gets the processor only while nobody else wants it.
    init(_ program: WorkerProgram, socket: Int32, isBackground: Bool = false) throws(IsolationError) {
        var id: pid_t = 0
        let spawned = withCStrings([CommandLine.arguments.first ?? program.path] + program.arguments) { arguments in
            withCStrings(program.environment) { environment in
                csandbox_spawn(program.path, arguments, environment, socket, &id)
            }
        }
        guard spawned == 0 else { throw .noWorker("\(program.path): \(String(errno: -spawned))") }
        self.id = id
        // Where the system allows neither way, it computes like others.
        if isBackground { _ = csandbox_yield_processor(id) }
    }

    deinit { _ = end() }

    /// Limits what it may use from now on.
    ///
    /// - Parameter addressSpaceBytes: Its address space.
    /// - Parameter cpuSeconds: Processor time in all: a hard limit, whatever `grantTime` says.
    func limit(addressSpaceBytes: Int, cpuSeconds: Int) throws(IsolationError) {
        let result = csandbox_limit(id, UInt64(addressSpaceBytes), UInt64(cpuSeconds))
        guard result == 0 else { throw .unavailable("resource limits: \(String(errno: -result))") }
    }

    /// Grants it so many more seconds of processor time; then the kernel ends it.
    ///
    /// - Returns: The number of seconds of processor time it may have had by then, since its start.
    @discardableResult
    func grantTime(for seconds: Int) throws(IsolationError) -> Int {
        let limit = csandbox_limit_cpu(id, UInt64(seconds))
        guard limit >= 0 else { throw .noWorker("processor time: \(String(errno: -Int32(limit)))") }
        cpuLimit.store(Int(limit), ordering: .relaxed)
        return Int(limit)
    }

    /// The number of its threads; nil when that cannot be told.
    var threadCount: Int? { state.map { Int($0.threads) } }

    /// Whether it could go on and does not, for want of a processor or the disk, or because somebody stopped it.
    var isStalled: Bool {
        // R, D, T and t: runs or wants to, waits for the disk, is stopped, is traced.
        guard let letter = state?.letter else { return false }
        return "RDTt".utf8.contains(UInt8(bitPattern: letter))
    }

    private var state: csandbox_process? {
        var state = csandbox_process()
        return csandbox_look(id, &state) == 0 ? state : nil
    }

    /// Finds out how a process ended whose socket is closed; one that lives on is killed.
    func failure() -> WorkerFailure {
        if let state, !state.is_ending {
            _ = end()
            return .closedSocket
        }
        // Of several threads one may be left that closed the socket and goes on: for that one is not waited long.
        for _ in 0..<10_000 {
            if let end = reap(WNOHANG) { return failure(end) }
            usleep(1000)
        }
        _ = end()
        return .closedSocket
    }

    private func failure(_ end: End) -> WorkerFailure {
        WorkerFailure(end, cpuLimit: cpuLimit.load(ordering: .relaxed))
    }

    /// Kills it, unless it is dead, and waits for its end: a process that is ending already keeps its own reason.
    @discardableResult
    func end() -> End? {
        if let end = ending.withLock({ $0 }) { return end }
        kill(id, SIGKILL)
        return reap(0)
    }

    /// Waits for its end; nil when it has not come yet, and is not waited for.
    private func reap(_ options: Int32) -> End? {
        ending.withLock { ending in
            if let ending { return ending }
            var status: Int32 = 0
            var usage = rusage()
            var result: pid_t
            repeat { result = wait4(id, &status, options, &usage) } while result < 0 && errno == EINTR
            guard result == id else { return nil }
            let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
            let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
            ending = End(status: status, cpuSeconds: Double(seconds) + Double(microseconds) / 1_000_000)
            return ending
        }
    }
}

private func withCStrings<R>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
}
