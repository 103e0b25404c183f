import Glibc

/// The built service, running in its own folder.
final class Service {
    let socketPath: String
    let port: Int
    private let folder: String
    private let executable: String
    private let log: String
    private let isEmulator: Bool
    private(set) var processID: pid_t = 0

    init(executable: String, folder: String, port: Int, isEmulator: Bool = true) throws {
        self.isEmulator = isEmulator
        (self.executable, self.folder, self.port) = (executable, folder, port)
        socketPath = "\(folder)/s/tintype.sock"
        log = "\(folder)/log"
        try start()
    }

    /// Starts it and waits until it answers.
    ///
    /// - Returns: The time until the answer, in seconds.
    @discardableResult
    func start() throws -> Double {
        let arguments =
            [
                executable, "serve", "--storage", "\(folder)/s", "--listen", "127.0.0.1:\(port)",
            ] + (isEmulator ? ["--emulator"] : [])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var cArguments = arguments.map { strdup($0) } + [nil]
        defer { cArguments.forEach { free($0) } }
        let begin = Clock.seconds
        let code = posix_spawn(&processID, executable, &actions, nil, &cArguments, environ)
        guard code == 0 else {
            throw Failure("cannot start \(executable): build it with `swift build -c release --product tintype`")
        }
        while true {
            if let socket = try? Connection(unix: socketPath) {
                socket.close()
                return Clock.seconds - begin
            }
            guard waitpid(processID, nil, WNOHANG) == 0, Clock.seconds - begin < 60 else {
                throw Failure("the service does not start; see \(log)")
            }
            usleep(2000)
        }
    }

    /// Ends it like a power cut: no handler runs.
    func kill() {
        _ = Glibc.kill(processID, SIGKILL)
        waitpid(processID, nil, 0)
    }

    func stop() {
        _ = Glibc.kill(processID, SIGTERM)
        waitpid(processID, nil, 0)
    }

    /// The processor time that the process has used, in seconds, with a resolution of a nanosecond.
    var cpuSeconds: Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(processID, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The resident memory of the process, in bytes.
    var residentBytes: Int {
        guard let file = fopen("/proc/\(processID)/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, 256, file) != nil else { return 0 }
        let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " ")
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * 4096
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

enum Clock {
    /// The seconds since some moment in the past.
    static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
