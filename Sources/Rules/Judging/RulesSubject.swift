package import TreeModel

/// Who asks, and when: the variables `auth` and `now`.
package struct RulesSubject: Sendable {
    /// The variable `auth`; nil for somebody of whom nothing is known.
    package let auth: JSONValue?
    /// The time of the read or the write, in milliseconds since the epoch: the one that its server values have.
    package let now: Timestamp

    package init(auth: JSONValue?, now: Timestamp) {
        self.auth = auth
        self.now = now
    }
}
