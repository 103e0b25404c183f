/// The times at which something was created and last changed, by the clock of the service.
package struct TimesDocument: Document {
    /// The time of the creation, in milliseconds since the epoch; nil if it is not known.
    package var created: Int64?
    /// The time of the last change, in milliseconds since the epoch; nil if it is not known.
    package var updated: Int64?

    package init(created: Int64?, updated: Int64?) { (self.created, self.updated) = (created, updated) }
}
