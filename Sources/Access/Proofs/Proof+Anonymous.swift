extension Proof {
    /// The proof of a request without credentials.
    package static let anonymous = Proof(.none, .anonymous)
}
