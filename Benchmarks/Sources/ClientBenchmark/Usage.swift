import Foundation

extension ClientBenchmark.Usage {
    /// The processor time and the memory of the process.
    struct Sample {
        /// The processor time so far, in milliseconds.
        let time: Int
        /// The resident memory, in bytes.
        let memory: Int
    }

    /// Returns what the process uses now.
    static func now() -> Sample {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        let memory = (Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0) << 10
        let statistics = (try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8)) ?? ""
        let fields = statistics.split(separator: " ")
        let ticks = fields.count > 15 ? (Int(fields[13]) ?? 0) + (Int(fields[14]) ?? 0) : 0
        return Sample(time: ticks * 10, memory: memory)
    }
}
