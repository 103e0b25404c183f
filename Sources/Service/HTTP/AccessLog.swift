package import CoreMetrics
package import Files
import Foundation
package import Logging
import Metering
import ServiceLifecycle
import Synchronization

/// The access log: a line for each request after its end, and for each stream after its connection's. Its lines contain
/// neither queries, which may contain credentials, nor control characters.
package struct AccessLog: Sendable {
    /// The form of the lines.
    package enum Format: Sendable {
        /// The Combined Log Format of web servers, with the duration in milliseconds and the trace behind it.
        case combined
        /// A JSON object for each line.
        case json
    }

    private let file: LineFile
    private let format: Format
    private let redact: @Sendable (String) -> String
    private let clock = AccessLogClock()

    /// Opens the log.
    ///
    /// - Parameters:
    ///   - redact: Returns a text that clients have chosen without credentials.
    ///   - metrics: Counts lines that are dropped.
    ///   - logger: Gets the first error of writing.
    /// - Throws: `FileError`.
    package init(
        _ place: LineFile.Place, _ format: Format, redact: @escaping @Sendable (String) -> String,
        metrics: any MetricsFactory, logger: Logger
    ) throws(FileError) {
        self.format = format
        self.redact = redact
        let dropped = AccessLog.dropped(metrics)
        file = try LineFile(
            place, onDrop: { dropped.increment(by: $0) },
            onFault: { fault in
                guard let fault else { return logger.notice("the access log is written again") }
                logger.error("lines of the access log are dropped", metadata: ["fault": "\(fault)"])
            })
    }

    /// Declares the counter of dropped lines, which exists also for a service without an access log.
    @discardableResult static func dropped(_ metrics: any MetricsFactory) -> Counter {
        metrics.counter("tintype_access_log_dropped_total", "Lines of the access log that could not be written.")
    }

    /// Writes the line of a request.
    func add(_ entry: AccessLogEntry) {
        switch format {
        case .combined: file.add(entry.combined(at: clock.text(of: entry.time), redact))
        case .json: if let line = entry.json(redact) { file.add(line) }
        }
    }

    /// Opens the file again, after a program such as logrotate has renamed it.
    func reopen() { file.reopen() }

    func close() async { await file.close() }
}

/// Keeps the access log open until all requests have ended.
struct AccessLogService: Service, CustomStringConvertible {
    let description = "access log"
    let log: AccessLog

    func run() async throws {
        try? await gracefulShutdown()
        await log.close()
    }
}

/// The times of lines in the form of web servers, formatted once a second.
private final class AccessLogClock: Sendable {
    private static let style = Date.VerbatimFormatStyle(
        format: """
            \(day: .twoDigits)/\(month: .abbreviated)/\(year: .defaultDigits):\
            \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
            \(second: .twoDigits) +0000
            """, locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))

    private let last = Mutex((second: Int.min, text: ""))

    func text(of time: Date) -> String {
        let second = Int(time.timeIntervalSince1970.rounded(.down))
        return last.withLock { last in
            if last.second != second { last = (second, time.formatted(Self.style)) }
            return last.text
        }
    }
}
