/// What has become of a store of an earlier version.
package struct UpgradeDocument: Document, Hashable {
    package enum State: String, Codable, CaseIterable, Sendable {
        /// Nothing is to be done.
        case current
        /// It is being brought forward.
        case upgrading
        /// That is done, and there is a way back until it is confirmed.
        case unconfirmed
    }

    package let state: State
    /// The format that this version writes.
    package let format: Int
    /// The format that the store had before.
    package let from: Int?
    /// When it began, in milliseconds since the epoch.
    package let begunAt: Int64?

    private enum CodingKeys: String, CodingKey {
        case state, format, from
        case begunAt = "begun_at"
    }

    package init(state: State, format: Int, from: Int?, begunAt: Int64?) {
        (self.state, self.format, self.from, self.begunAt) = (state, format, from, begunAt)
    }
}
