extension PushIDGenerator {
    /// Makes a generator that goes by the system's clock.
    ///
    /// - Parameter last: An id that all others are to be greater than; nil for none.
    public convenience init(after last: PushID? = nil) {
        self.init(after: last, clock: WallClock.now)
    }
}
