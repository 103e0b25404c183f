package import TreeModel

/// The requester and the time: the variables `auth` and `now`.
package struct RulesSubject: Sendable {
    /// The variable `auth`; nil for an unauthenticated client.
    package let auth: JSONValue?
    /// The time of the read or the write, in milliseconds since the epoch; its server values use the same time.
    package let now: Timestamp

    package init(auth: JSONValue?, now: Timestamp) {
        self.auth = auth
        self.now = now
    }
}
