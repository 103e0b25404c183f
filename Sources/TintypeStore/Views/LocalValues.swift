import TintypeModel

/// A value of the device's store: first as it is, then each time it has changed. A slow reader gets the newest value.
///
/// It throws `RecordStoreError` if the store cannot be read, and ends when the task is cancelled. The states of a write
/// also end with the last one.
public struct LocalValues<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    /// The values of the sequence.
    public typealias Element = Value

    private let store: LocalStore
    private let read: @Sendable (LocalView) throws -> Value
    private let isLast: @Sendable (Value) -> Bool

    /// - Parameter isLast: Whether a value is the last one.
    init(
        _ store: LocalStore, isLast: @escaping @Sendable (Value) -> Bool = { _ in false },
        _ read: @escaping @Sendable (LocalView) throws -> Value
    ) {
        (self.store, self.read, self.isLast) = (store, read, isLast)
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(store: store, read: read, isLast: isLast, subscription: store.hub.listen())
    }

    /// A reader of the value.
    public struct Iterator: AsyncIteratorProtocol {
        private let store: LocalStore
        private let read: @Sendable (LocalView) throws -> Value
        private let isLast: @Sendable (Value) -> Bool
        private let subscription: ChangeHub.Subscription
        private var last: Value?
        /// The subjects that the last value depends on.
        private var subjects: Set<Subject> = []

        fileprivate init(
            store: LocalStore, read: @escaping @Sendable (LocalView) throws -> Value,
            isLast: @escaping @Sendable (Value) -> Bool, subscription: ChangeHub.Subscription
        ) {
            (self.store, self.read, self.isLast, self.subscription) = (store, read, isLast, subscription)
        }

        /// Returns the value if it differs from the last one, or waits until it does; nil when the task is cancelled, and
        /// after the last state of a write.
        public mutating func next() async throws -> Value? {
            while true {
                if let last {
                    if isLast(last) { return nil }
                    guard let changes = await subscription.changes() else { return nil }
                    if changes.isDisjoint(with: subjects) { continue }
                }
                let read = read
                let (value, subjects, interests) = try await store.view { view in
                    (try read(view), view.subjects, view.interests)
                }
                subscription.show(interests)
                self.subjects = subjects
                if value == last { continue }
                last = value
                return value
            }
        }
    }
}
