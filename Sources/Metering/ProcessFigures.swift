import Glibc

/// The figures of this process under the names that Prometheus's client libraries use, as Linux reports them
/// (`proc(5)`). Figures that the system does not report are left out.
public struct ProcessFigures: Sendable {
    /// The processor time of all threads, in seconds.
    let processorSeconds: Double
    /// The time at which the process started, in seconds since the epoch; the same in all readings of a process.
    let startSeconds: Double?
    let residentBytes: Int?
    let virtualBytes: Int?
    let openDescriptors: Int?
    /// The largest number of descriptors that the process may have open; nil without a limit.
    let maxDescriptors: Int?

    /// Reads the figures. It reads only files of the kernel, which do not wait for a disk.
    public init() {
        var usage = rusage()
        let isKnown = getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0
        processorSeconds = isKnown ? Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime) : 0
        let pages = Self.words(of: "/proc/self/statm").prefix(2).compactMap { Int($0) }
        let pageBytes = sysconf(Int32(_SC_PAGESIZE))
        (virtualBytes, residentBytes) = pages.count == 2 ? (pages[0] * pageBytes, pages[1] * pageBytes) : (nil, nil)
        openDescriptors = Self.countDescriptors()
        var limit = rlimit()
        let isLimited = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 && limit.rlim_cur != .max
        maxDescriptors = isLimited ? Int(clamping: limit.rlim_cur) : nil
        startSeconds = Self.start
    }

    /// Computed once, so that an adjusted clock is not mistaken for a restart.
    private static let start: Double? = {
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        // The second field, the name of the program, may contain spaces; the start is the 22nd, the 20th behind the name.
        let fields = text(of: "/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
        var (now, sinceBoot) = (timespec(), timespec())
        guard fields.count > 19, let start = Double(fields[19]), ticks > 0, clock_gettime(CLOCK_REALTIME, &now) == 0,
            clock_gettime(CLOCK_BOOTTIME, &sinceBoot) == 0
        else { return nil }
        return ((seconds(now) - seconds(sinceBoot) + start / ticks) * 100).rounded() / 100
    }()

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }

    private static func seconds(_ time: timespec) -> Double {
        Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    private static func words(of path: String) -> [Substring] {
        text(of: path).split { $0 == " " || $0 == "\n" }
    }

    /// Returns the beginning of a short file of the kernel; empty if it cannot be read.
    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { _ = close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func countDescriptors() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { _ = closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without ".", ".." and the descriptor of the listing itself.
        return max(0, count - 3)
    }
}

extension Exposition {
    /// Adds the figures of the process.
    public mutating func add(_ process: ProcessFigures) {
        add(
            Metric("process_cpu_seconds_total", .counter, "Processor time of the process, in seconds."),
            seconds: process.processorSeconds)
        if let start = process.startSeconds {
            add(
                Metric("process_start_time_seconds", .gauge, "Start of the process, in seconds since the epoch."),
                seconds: start)
        }
        let figures = [
            ("process_resident_memory_bytes", "Resident memory, in bytes.", process.residentBytes),
            ("process_virtual_memory_bytes", "Virtual memory, in bytes.", process.virtualBytes),
            ("process_open_fds", "Open file descriptors.", process.openDescriptors),
            ("process_max_fds", "The largest number of open file descriptors.", process.maxDescriptors),
        ]
        for (name, help, value) in figures {
            if let value { add(Metric(name, .gauge, help), value) }
        }
    }
}
