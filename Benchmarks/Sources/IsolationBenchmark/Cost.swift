import Foundation

/// The duration of an operation, and the processor time of this process and of the processes that it started.
struct Cost {
    var clockMilliseconds = 0.0
    var cpuMilliseconds = 0.0

    init() {}

    init<R>(of body: () throws -> R) rethrows {
        let children = Cost.children()
        let (clock, cpu) = (Cost.milliseconds(CLOCK_MONOTONIC), Cost.cpu(children))
        _ = try body()
        clockMilliseconds = Cost.milliseconds(CLOCK_MONOTONIC) - clock
        cpuMilliseconds = Cost.cpu(children) - cpu
    }

    private static func cpu(_ children: [pid_t]) -> Double {
        children.reduce(milliseconds(CLOCK_PROCESS_CPUTIME_ID)) { sum, child in
            var clock = clockid_t()
            return clock_getcpuclockid(child, &clock) == 0 ? sum + milliseconds(clock) : sum
        }
    }

    private static func milliseconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    }

    private static func children() -> [pid_t] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap(pid_t.init).filter { process in
            let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            return status?.contains("PPid:\t\(getpid())\n") == true
        }
    }
}
