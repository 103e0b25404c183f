package import API
import Foundation
package import TreeModel

/// A time written as text: a day (2026-05-01), an ISO 8601 time, or milliseconds since the epoch; UTC.
package enum WrittenTime {
    /// Parses a time.
    ///
    /// - Throws: `Failure` `bad_time`.
    package static func read(_ text: String) throws(Failure) -> Timestamp {
        if let milliseconds = Int64(text) { return Timestamp(milliseconds: milliseconds) }
        let day = Date.ISO8601FormatStyle().year().month().day()
        guard let date = (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: day)),
            let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded())
        else {
            throw Failure(
                .badTime, "\"\(text.prefix(80))\" is no moment", hint: "Write it as 2026-05-01, or in milliseconds.")
        }
        return Timestamp(milliseconds: milliseconds)
    }
}
