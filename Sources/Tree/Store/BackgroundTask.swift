import Synchronization

/// A task that a part of the store runs beside its callers, from its start to the end of the store. Any thread.
final class BackgroundTask: Sendable {
    private let name: String
    private let priority: TaskPriority
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(name: String, priority: TaskPriority) {
        self.name = name
        self.priority = priority
    }

    /// Begins the work, once.
    func start(_ work: @escaping @Sendable () async -> Void) {
        task.withLock { task in
            guard task == nil else { return }
            task = Task(name: name, priority: priority) { await work() }
        }
    }

    func cancel() { task.withLock { $0?.cancel() } }

    /// Ends the work after the piece at hand.
    func stop() async {
        cancel()
        await task.withLock { $0 }?.value
    }
}

/// Work that a part of the store does by itself, from its start to the end of the store.
protocol BackgroundWork: AnyObject, Sendable {
    var task: BackgroundTask { get }

    /// Works until the task is cancelled.
    func run() async
}

extension BackgroundWork {
    /// Begins to work, once.
    func start() { task.start { await self.run() } }

    func cancel() { task.cancel() }

    /// Ends the work after the piece at hand.
    func stop() async { await task.stop() }
}
