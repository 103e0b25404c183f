import Foundation

extension String {
    /// The text with a space for each line break.
    var oneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}

extension Int64 {
    /// The time in milliseconds since 1970, as text for people.
    var time: String { Date(timeIntervalSince1970: Double(self) / 1000).formatted(.iso8601) }
}
