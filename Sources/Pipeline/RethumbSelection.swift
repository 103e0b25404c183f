package import API
import Foundation
package import Posts

extension Rethumb {
    /// The posts that are selected.
    package struct Selection: Sendable, Hashable {
        /// Only this person's posts.
        package var user: UserID?
        /// Only posts made since then, in milliseconds since the epoch.
        package var since: Int64?
        /// Only posts that lack a rendition of a recipe by its name, however it was made.
        package var onlyMissing = false

        /// All posts.
        package init() {}

        /// Reads a selection as people write it: `since` is a day (2026-05-01), an ISO 8601 time, or milliseconds; UTC.
        ///
        /// - Throws: `Failure`: `bad_user`, `bad_time`.
        package init(user: String?, since: String?, onlyMissing: Bool) throws(Failure) {
            self.onlyMissing = onlyMissing
            if let user {
                guard let uid = UserID(user) else { throw Failure.noUserID(user) }
                self.user = uid
            }
            if let since { self.since = try Self.milliseconds(since) }
        }

        private static func milliseconds(_ text: String) throws(Failure) -> Int64 {
            if let milliseconds = Int64(text) { return milliseconds }
            let day = Date.ISO8601FormatStyle().year().month().day()
            guard let date = (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: day)),
                let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded())
            else {
                throw Failure(
                    .badTime, "\"\(text.prefix(80))\" is no moment", hint: "for instance 2026-05-01, or milliseconds")
            }
            return milliseconds
        }
    }
}
