internal import CSandbox
internal import Glibc

/// The program that a worker runs: it has to come to `RenderWorker.run()` while it has one thread.
public struct WorkerProgram: Sendable {
    /// The executable's path.
    public let path: String
    /// The arguments of its command line, after its name.
    public let arguments: [String]

    /// Names a program.
    public init(path: String, arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }

    /// This very program, even when the file has been replaced since it was started.
    public static func this(arguments: [String]) -> WorkerProgram {
        WorkerProgram(path: "/proc/self/exe", arguments: arguments)
    }

    /// The version of this program and its libraries, the decoders among them: 16 hexadecimal digits.
    public static let version: String = {
        let digits = String(csandbox_program(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }()

    /// The environment of a worker: where libraries are; one heap for all its threads, which keeps what a usual
    /// image needs for the next one instead of having the kernel give it anew; and a failure without a report.
    var environment: [String] {
        let path = getenv("LD_LIBRARY_PATH").map { ["LD_LIBRARY_PATH=" + String(cString: $0)] } ?? []
        let heap = ["MALLOC_ARENA_MAX=1", "MALLOC_MMAP_THRESHOLD_=33554432", "MALLOC_TRIM_THRESHOLD_=67108864"]
        return path + heap + ["SWIFT_BACKTRACE=enable=no"]
    }
}
