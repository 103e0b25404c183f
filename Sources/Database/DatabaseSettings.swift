import TreeModel

/// What an operator may choose about the database.
package struct DatabaseSettings: Sendable {
    /// The name of the service's own tree, besides no name at all.
    package var namespace = "tintype"
    /// Whether everybody may do everything in a tree for which nobody has written rules, and may say who they are, as with
    /// Firebase's emulator.
    package var isEmulator = false
    /// How often a stream of events shows that it is alive, in milliseconds.
    package var keepAliveMilliseconds: Int64 = 30_000

    package init() {}

    /// How often a stream of events shows that it is alive.
    package var keepAlive: Duration { .milliseconds(keepAliveMilliseconds) }

    /// Whether a tree can have this name.
    package static func isName(_ text: String) -> Bool { (try? Namespace(text)) != nil }
}
