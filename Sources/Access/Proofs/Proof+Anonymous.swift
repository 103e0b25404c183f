extension Proof {
    /// What somebody proves who shows nothing.
    package static let anonymous = Proof(.none, .anonymous)
}
