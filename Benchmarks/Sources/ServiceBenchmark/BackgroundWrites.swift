import Glibc

/// Writes elsewhere in the tree at a steady rate, in a separate process.
struct BackgroundWrites {
    private let processID: pid_t

    /// Starts this program again, as the writer.
    init(to socketPath: String, perSecond: Int) throws {
        var child = pid_t()
        let arguments = [CommandLine.arguments[0], "--write", socketPath, "\(perSecond)"]
        var cArguments = arguments.map { strdup($0) } + [nil]
        defer { cArguments.forEach { free($0) } }
        guard posix_spawn(&child, "/proc/self/exe", nil, nil, &cArguments, environ) == 0 else {
            throw Failure("cannot start the writer")
        }
        processID = child
    }

    func stop() {
        kill(processID, SIGTERM)
        waitpid(processID, nil, 0)
    }

    /// The work of that process until it is ended; prints the rate that it reached.
    static func run(to socketPath: String, perSecond: Int) throws -> Never {
        signal(SIGTERM) { _ in isEnded = 1 }
        let connections = try (0..<64).map { _ in try Connection(unix: socketPath) }
        let begin = Clock.seconds
        var count = 0
        while isEnded == 0 {
            let due = Int((Clock.seconds - begin) * Double(perSecond))
            guard count < due else {
                usleep(200)
                continue
            }
            // Several at once, so that they share transactions like those of many clients.
            let batch = connections.prefix(due - count)
            for (index, connection) in batch.enumerated() {
                try connection.send(HTTP.request("PUT", "/elsewhere/w\(index).json?print=silent", "\(count)"))
            }
            for connection in batch { while try !connection.receive() {} }
            count += batch.count
        }
        let rate = Double(count) / (Clock.seconds - begin)
        print("  meanwhile \(rounded(rate, 0)) writes a second elsewhere (\(perSecond) intended)")
        fflush(nil)
        exit(0)
    }
}

/// Set by a signal.
nonisolated(unsafe) private var isEnded: sig_atomic_t = 0  // A signal handler may write nothing else.
