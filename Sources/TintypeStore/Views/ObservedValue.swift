#if canImport(Observation)
    public import Observation

    /// A value of the device's store as a model of SwiftUI.
    ///
    ///     @State private var post = ObservedValue(store.post(id))
    ///
    ///     var body: some View {
    ///         PostView(post.value ?? nil).task { await post.run() }
    ///     }
    ///
    /// It follows the store while `run()` is under way, and keeps nothing alive otherwise. A transaction of the store is
    /// one change of the value, however much it has changed.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor @Observable
    public final class ObservedValue<Value: Equatable & Sendable> {
        /// The value; nil until it was read.
        public private(set) var value: Value?
        /// The reason why the store cannot be read; nil if it can.
        public private(set) var error: (any Error)?

        private let values: LocalValues<Value>

        /// Creates a model of a value, which is not read yet.
        public init(_ values: LocalValues<Value>) { self.values = values }

        /// Follows the value until the task is cancelled, or until the store cannot be read.
        public func run() async {
            if error != nil { error = nil }
            do {
                for try await value in values where value != self.value { self.value = value }
            } catch {
                if !Task.isCancelled { self.error = error }
            }
        }
    }
#endif
