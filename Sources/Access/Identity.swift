/// The identity that a request acts as.
package enum Identity: Hashable, Sendable {
    /// Somebody who was let in, and of whom nothing is known.
    case anonymous
    /// The owner of the service, who may do everything.
    case admin
}
