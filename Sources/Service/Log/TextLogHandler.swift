import API
import Foundation
package import Logging

/// A log handler that writes each entry to standard error as one line for people: the time (RFC 3339, UTC, seconds), the
/// level, the message, and the metadata as `key=value`, in the order of their keys.
///
/// Values with spaces or quotes are quoted, and control characters are written as `\u{…}`, so that nothing that is
/// logged can imitate another line.
package struct TextLogHandler: LogHandler {
    /// Whether standard error leads to the system's journal, which adds the time and keeps the level itself.
    let isJournal: Bool
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    package var logLevel = Logger.Level.info

    package init(isJournal: Bool) { self.isJournal = isJournal }

    package func log(event: LogEvent) { LogLine.write(line(of: event, at: .now), event.level, isJournal: isJournal) }

    /// Returns the line of an entry, without the level for the journal, and without its end.
    func line(of event: LogEvent, at time: Date) -> String {
        var fields: [String: String] = [:]
        for metadata in [metadataProvider?.get(), metadata, event.metadata] {
            for (key, value) in metadata ?? [:] { fields[key] = "\(value)" }
        }
        fields["error"] = event.error.map { "\($0)" } ?? fields["error"]
        let start = isJournal ? "" : "\(time.formatted(.iso8601)) \(event.level.rawValue) "
        let pairs = fields.sorted { $0.key < $1.key }.map { " \(Self.key($0.key))=\(Self.value($0.value))" }
        return start + event.message.description.printable + pairs.joined()
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    private static func key(_ text: String) -> String {
        String(text.printable.map { $0 == " " || $0 == "=" || $0 == "\"" ? "_" : $0 })
    }

    private static func value(_ text: String) -> String {
        let text = text.printable
        guard text.isEmpty || text.contains(where: { $0.isWhitespace || $0 == "\"" || $0 == "=" }) else { return text }
        return "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
