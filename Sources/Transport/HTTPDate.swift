import Foundation
import Synchronization
import Tree
package import TreeModel

/// Dates in the format of HTTP (RFC 9110 §5.6.7).
package enum HTTPDate {
    /// The last current date. Formatting one takes as long as a small response.
    private static let last = Mutex<(seconds: Int64, text: String)>((0, ""))

    /// The current date.
    package static var now: String {
        let moment = WallClock.now()
        return last.withLock { last in
            if last.seconds != moment.seconds { last = (moment.seconds, text(of: moment)) }
            return last.text
        }
    }

    /// Returns the date of a moment.
    package static func text(of moment: Timestamp) -> String {
        let date = Date(timeIntervalSince1970: Double(moment.seconds))
        return date.formatted(
            Date.VerbatimFormatStyle(
                format:
                    "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT",
                locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian)))
    }
}
