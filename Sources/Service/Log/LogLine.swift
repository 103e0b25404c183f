import Files
import Foundation
import Logging

/// A line of the log on standard error.
package enum LogLine {
    /// Whether standard error leads to the system's journal (`systemd.exec(5)`, `JOURNAL_STREAM`).
    package static var isJournal: Bool {
        guard let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"],
            let identity = DescriptorIdentity(of: FileHandle.standardError.fileDescriptor)
        else { return false }
        return stream == "\(identity.device):\(identity.inode)"
    }

    /// Writes a line in one call, so that lines of several threads do not mix.
    ///
    /// - Parameter isJournal: Whether the line begins with its priority, as `sd-daemon(3)` describes it.
    static func write(_ line: String, _ level: Logger.Level, isJournal: Bool) {
        let text = "\(isJournal ? "<\(priority(of: level))>" : "")\(line)\n"
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// Returns the priority of a level in the journal, as in `syslog(3)`.
    static func priority(of level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
