extension PushIDGenerator {
    /// Creates a generator that uses the system's clock.
    ///
    /// - Parameter last: An id that all generated ids must be greater than; nil for none.
    public convenience init(after last: PushID? = nil) {
        self.init(after: last, clock: WallClock.now)
    }
}
