/// The state of the upgrade of a store from an earlier version.
package struct UpgradeDocument: Document, Hashable {
    package enum State: String, Codable, CaseIterable, Sendable {
        /// No upgrade is needed.
        case current
        /// The upgrade is in progress.
        case upgrading
        /// The upgrade is done, and can be undone until it is confirmed.
        case unconfirmed
    }

    package let state: State
    /// The format version that this program writes.
    package let format: Int
    /// The format version that the store had before.
    package let from: Int?
    /// The time at which the upgrade began, in milliseconds since the epoch.
    package let begunAt: Int64?

    private enum CodingKeys: String, CodingKey {
        case state, format, from
        case begunAt = "begun_at"
    }

    package init(state: State, format: Int, from: Int?, begunAt: Int64?) {
        (self.state, self.format, self.from, self.begunAt) = (state, format, from, begunAt)
    }
}
