package import Foundation
import Synchronization

/// The built binary as a child process, its output in files.
///
/// Uses `posix_spawn(3)` itself: Foundation's `Process` is not safe when several tests start children at once.
package final class Child: Sendable {
    package let processID: pid_t
    private let status = Mutex<Int32?>(nil)

    /// Starts the binary; its output is appended to the two files.
    ///
    /// - Parameters:
    ///   - path: The program; the binary by default.
    ///   - input: The file that is its standard input.
    ///   - environment: Variables in addition to the test's own, without those for tests or services.
    ///   - descriptors: The limit of open files and connections; nil for the test's own.
    package init(
        _ arguments: [String], program path: String = Child.binary, output: String, errors: String,
        input: String = "/dev/null",
        environment more: [String: String] = [:], descriptors: Int? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY | O_NOCTTY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(
            &actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY, 0o600)
        // Without other tests' open files: a connection that a child also holds does not end when its test closes it.
        // All possible numbers, as others open and close meanwhile; closing an unused number is not an error.
        for descriptor in STDERR_FILENO + 1..<min(getdtablesize(), 4096) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        // The threads of a test block or ignore some signals; the child must receive all, as under a shell.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let limit = descriptors.map { ["/usr/bin/prlimit", "--nofile=\($0):\($0)"] } ?? []
        let command = limit + [path]
        let own = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("TINTYPE_") }
        let environment = own.merging(more) { $1 }.map { "\($0)=\($1)" }
        var processID: pid_t = 0
        let result = Self.withCStrings(command + arguments) { arguments in
            Self.withCStrings(environment) { environment in
                posix_spawn(&processID, command[0], &actions, &attributes, arguments, environment)
            }
        }
        guard result == 0 else { throw ServiceProcessError("\(path): \(String(cString: strerror(result)))") }
        self.processID = processID
    }

    deinit {
        if exitCode == nil {
            kill(processID, SIGKILL)
            waitpid(processID, nil, 0)
        }
    }

    /// The exit code, 128 and more for a signal; nil while it runs.
    package var exitCode: Int32? {
        status.withLock { status in
            var raw: Int32 = 0
            if status == nil, waitpid(processID, &raw, WNOHANG) == processID {
                status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
            }
            return status
        }
    }

    /// Sends a signal, unless it has ended.
    package func send(_ signal: Int32) {
        if exitCode == nil { kill(processID, signal) }
    }

    /// Waits for the end.
    @discardableResult
    package func wait() async throws -> Int32 {
        while true {
            if let exitCode { return exitCode }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The binary that `TINTYPE` names, or else the one beside the test bundle.
    package static var binary: String {
        if let named = ProcessInfo.processInfo.environment["TINTYPE"] { return named }
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return own.deletingLastPathComponent().appendingPathComponent("tintype").path
    }

    private static func withCStrings<R>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
    ) -> R {
        let pointers = strings.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}
