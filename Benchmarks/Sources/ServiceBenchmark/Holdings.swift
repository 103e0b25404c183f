import Foundation

/// The memory and disk space that a process holds at a moment, in bytes.
struct Holdings {
    let resident: Int
    /// The peak resident size since ``forgetMost(_:)``.
    let mostResident: Int
    /// The unnamed files that it has open, such as answers that wait for their readers.
    let spooled: Int

    init(of process: pid_t) {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        func figure(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
            return (Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0) << 10
        }
        resident = figure("VmRSS")
        mostResident = figure("VmHWM")
        let folder = "/proc/\(process)/fd"
        var files: [UInt: Int] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            var file = stat()
            guard stat("\(folder)/\(name)", &file) == 0, file.st_mode & S_IFMT == S_IFREG, file.st_nlink == 0
            else { continue }
            files[UInt(file.st_ino)] = Int(file.st_blocks) * 512
        }
        spooled = files.values.reduce(0, +)
    }

    /// Resets the kernel's peak resident size.
    static func forgetMost(_ process: pid_t) {
        try? "5".write(toFile: "/proc/\(process)/clear_refs", atomically: false, encoding: .utf8)
    }
}

extension Holdings: CustomStringConvertible {
    var description: String {
        "\(resident >> 20) MiB resident (at most \(mostResident >> 20)), \(spooled >> 20) MiB of disk for answers"
    }
}
