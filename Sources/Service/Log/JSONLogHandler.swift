import Foundation
package import Logging

/// A log handler that writes each entry to standard error as one line of JSON, for programs that collect logs.
///
/// The fields are `time` (RFC 3339, UTC, milliseconds), `level`, `message`, `source` and the metadata under their own
/// names. All values are strings. Entries about an upload have its id as `upload`.
package struct JSONLogHandler: LogHandler {
    /// Whether standard error leads to the system's journal, which keeps the level of each line.
    let isJournal: Bool
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    package var logLevel = Logger.Level.info

    package init(isJournal: Bool) { self.isJournal = isJournal }

    package func log(event: LogEvent) {
        var fields: [String: String] = [:]
        for metadata in [metadataProvider?.get(), metadata, event.metadata] {
            for (key, value) in metadata ?? [:] { fields[key] = "\(value)" }
        }
        fields["error"] = event.error.map { "\($0)" } ?? fields["error"]
        fields["time"] = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        fields["level"] = event.level.rawValue
        fields["message"] = event.message.description
        fields["source"] = event.source
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(fields) else { return }
        LogLine.write(String(decoding: line, as: UTF8.self), event.level, isJournal: isJournal)
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}
