import TintypeModel

/// A value of the device's store: first as it is, then each time it has changed. A slow reader gets the newest value.
///
/// It throws `RecordStoreError` if the store cannot be read, and ends when the task is cancelled.
public struct LocalValues<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    /// The values of the sequence.
    public typealias Element = Value

    private let store: LocalStore
    private let read: @Sendable (LocalView) throws -> Value

    init(_ store: LocalStore, _ read: @escaping @Sendable (LocalView) throws -> Value) {
        (self.store, self.read) = (store, read)
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(store: store, read: read, subscription: store.hub.listen()) }

    /// A reader of the value.
    public struct Iterator: AsyncIteratorProtocol {
        private let store: LocalStore
        private let read: @Sendable (LocalView) throws -> Value
        private let subscription: ChangeHub.Subscription
        private var signals: AsyncStream<Void>.Iterator
        private var last: Value?
        /// The subjects that the last value depends on.
        private var subjects: Set<Subject> = []

        fileprivate init(
            store: LocalStore, read: @escaping @Sendable (LocalView) throws -> Value,
            subscription: ChangeHub.Subscription
        ) {
            (self.store, self.read, self.subscription) = (store, read, subscription)
            signals = subscription.signals.makeAsyncIterator()
        }

        /// Returns the value if it differs from the last one, or waits until it does; nil when the task is cancelled.
        public mutating func next() async throws -> Value? {
            while true {
                if last != nil {
                    guard await signals.next(isolation: #isolation) != nil else { return nil }
                    if subscription.changes().isDisjoint(with: subjects) { continue }
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

/// One state of the device's store, as the person sees it. It notes what is read.
final class LocalView {
    let records: AccountRecords
    let overlay: PostOverlay
    private(set) var subjects: Set<Subject> = [.account]
    /// The parts of the service that the device follows while the value is shown.
    private(set) var interests: Set<Interest> = []

    init(_ records: AccountRecords, _ overlay: PostOverlay) { (self.records, self.overlay) = (records, overlay) }

    /// Notes that the value depends on a subject.
    func depend(on subject: Subject) { subjects.insert(subject) }

    /// Notes that the device is to follow something while the value is shown.
    func follow(_ interest: Interest) { interests.insert(interest) }

    /// Notes that the device is to follow a post while the value is shown, if no synchronised list has it.
    func follow(_ post: Post.ID) {
        if !post.isLocal, (try? records.place(of: post.rawValue, in: .feed)) == nil { follow(.post(post)) }
    }

    /// Returns a post as the person sees it; nil if the device does not have it.
    func post(_ id: Post.ID) throws -> LocalPost? {
        depend(on: .post(try records.real(id)))
        depend(on: .post(try records.identity(id)))
        return try overlay.post(id)
    }
}
