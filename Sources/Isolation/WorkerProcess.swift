internal import CSandbox
internal import Glibc
import Synchronization

/// The process of a worker, from its start to its end. It is killed and reaped when its last reference is released.
final class WorkerProcess: Sendable {
    /// The end of a process as `wait4(2)` reports it.
    struct End: Sendable, Hashable {
        /// The status in the format of `waitpid(2)`.
        let status: Int32
        /// The processor time that the process has used, in seconds.
        let cpuSeconds: Double
    }

    let id: pid_t
    /// The processor time since the process's start, in seconds, at which it receives SIGXCPU.
    private let cpuLimit = Atomic(Int.max)
    private let ending = Mutex<End?>(nil)

    /// Starts a program with `socket` as its descriptor 3.
    ///
    /// - Parameter isBackground: Whether the process uses only idle processor time.
    init(_ program: WorkerProgram, socket: Int32, isBackground: Bool = false) throws(IsolationError) {
        var id: pid_t = 0
        let spawned = withCStrings([CommandLine.arguments.first ?? program.path] + program.arguments) { arguments in
            withCStrings(program.environment) { environment in
                csandbox_spawn(program.path, arguments, environment, socket, &id)
            }
        }
        guard spawned == 0 else { throw .noWorker("\(program.path): \(String(errno: -spawned))") }
        self.id = id
        // If the system allows neither way, the process computes with normal priority.
        if isBackground { _ = csandbox_yield_processor(id) }
    }

    deinit { _ = end() }

    /// Limits the further use of resources by the process.
    ///
    /// - Parameter addressSpaceBytes: The maximum size of its address space, in bytes.
    /// - Parameter cpuSeconds: The maximum processor time in total, in seconds: a hard limit that `grantTime` cannot
    ///   exceed.
    func limit(addressSpaceBytes: Int, cpuSeconds: Int) throws(IsolationError) {
        let result = csandbox_limit(id, UInt64(addressSpaceBytes), UInt64(cpuSeconds))
        guard result == 0 else { throw .unavailable("resource limits: \(String(errno: -result))") }
    }

    /// Grants the process further seconds of processor time; when they are used up, the kernel ends it.
    ///
    /// - Returns: The resulting limit of processor time since the process's start, in seconds.
    @discardableResult
    func grantTime(for seconds: Int) throws(IsolationError) -> Int {
        let limit = csandbox_limit_cpu(id, UInt64(seconds))
        guard limit >= 0 else { throw .noWorker("processor time: \(String(errno: -Int32(limit)))") }
        cpuLimit.store(Int(limit), ordering: .relaxed)
        return Int(limit)
    }

    /// The number of the process's threads; nil if it cannot be determined.
    var threadCount: Int? { state.map { Int($0.threads) } }

    /// Whether the process could run but does not: it has no processor, waits for the disk, or is stopped.
    var isStalled: Bool {
        // R, D, T and t: running or runnable, waiting for the disk, stopped, traced.
        guard let letter = state?.letter else { return false }
        return "RDTt".utf8.contains(UInt8(bitPattern: letter))
    }

    private var state: csandbox_process? {
        var state = csandbox_process()
        return csandbox_look(id, &state) == 0 ? state : nil
    }

    /// Finds out how a process has ended whose socket is closed; kills it if it is still running.
    func failure() -> WorkerFailure {
        if let state, !state.is_ending {
            _ = end()
            return .closedSocket
        }
        // One of several threads may have closed the socket and may still be running; the wait for it is short.
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

    /// Kills the process, unless it has ended, and waits for its end; a process that is already ending keeps its own
    /// status.
    @discardableResult
    func end() -> End? {
        if let end = ending.withLock({ $0 }) { return end }
        kill(id, SIGKILL)
        return reap(0)
    }

    /// Reaps the process; returns nil if it has not ended yet and the options do not wait for it.
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
