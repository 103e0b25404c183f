package import Logging
import Synchronization

/// A log that keeps its entries for a test to read.
package struct RecordingLog: LogHandler {
    private final class Entries: Sendable {
        let all = Mutex<[Entry]>([])
    }

    /// A message and what was logged with it.
    package struct Entry: Sendable {
        package let message: String
        package let metadata: Logger.Metadata

        /// The value of a key, as text; `?` if the entry lacks it.
        package func text(_ key: String) -> String { metadata[key].map { "\($0)" } ?? "?" }
    }

    private let kept = Entries()
    package var logLevel = Logger.Level.trace
    package var metadata: Logger.Metadata = [:]

    package init() {}

    /// The entries, the oldest first.
    package var entries: [Entry] { kept.all.withLock { $0 } }

    /// A logger that writes to this log.
    package var logger: Logger { Logger(label: "test") { _ in self } }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let entry = Entry(message: "\(event.message)", metadata: event.metadata ?? [:])
        kept.all.withLock { $0.append(entry) }
    }
}
