extension Proof {
    /// What somebody proves who shows nothing.
    package static let nothing = Proof(.none, .nobody)
}
