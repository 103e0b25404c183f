internal import CSandbox
internal import Glibc

/// The program that a worker runs, which must call `RenderWorker.run()` while it has a single thread.
public struct WorkerProgram: Sendable {
    /// The executable's path.
    public let path: String
    /// The command-line arguments after the program's name.
    public let arguments: [String]

    /// Creates a description of a program.
    public init(path: String, arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }

    /// Returns this program itself, even if its file has been replaced since its start.
    public static func this(arguments: [String]) -> WorkerProgram {
        WorkerProgram(path: "/proc/self/exe", arguments: arguments)
    }

    /// The version of this program and its libraries, including the decoders: 16 hexadecimal digits.
    public static let version: String = {
        let digits = String(csandbox_program(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }()

    /// The environment of a worker: the path of libraries; a single heap for all threads, which keeps the memory of a
    /// usual image for the next one instead of returning it to the kernel; and no backtrace after a crash.
    var environment: [String] {
        let path = getenv("LD_LIBRARY_PATH").map { ["LD_LIBRARY_PATH=" + String(cString: $0)] } ?? []
        let heap = ["MALLOC_ARENA_MAX=1", "MALLOC_MMAP_THRESHOLD_=33554432", "MALLOC_TRIM_THRESHOLD_=67108864"]
        return path + heap + ["SWIFT_BACKTRACE=enable=no"]
    }
}
