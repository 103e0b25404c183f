import TreeModel

/// The settings of the database.
package struct DatabaseSettings: Sendable {
    /// The name of the service's own tree, which is also used by requests without a name.
    package var namespace = "tintype"
    /// Whether all clients may do everything in trees without rules, and may choose their identity, as in Firebase's
    /// emulator.
    package var isEmulator = false
    /// The interval between two signs of life in an event stream, in milliseconds.
    package var keepAliveMilliseconds: Int64 = 30_000

    package init() {}

    /// The interval between two signs of life in an event stream.
    package var keepAlive: Duration { .milliseconds(keepAliveMilliseconds) }

    /// Whether a tree can have this name.
    package static func isName(_ text: String) -> Bool { (try? Namespace(text)) != nil }
}
