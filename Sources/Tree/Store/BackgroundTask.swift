import Synchronization

/// A task of the store that runs in the background until the store is closed. Safe to use from any thread.
final class BackgroundTask: Sendable {
    private let name: String
    private let priority: TaskPriority
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(name: String, priority: TaskPriority) {
        self.name = name
        self.priority = priority
    }

    /// Starts the work; later calls do nothing.
    func start(_ work: @escaping @Sendable () async -> Void) {
        task.withLock { task in
            guard task == nil else { return }
            task = Task(name: name, priority: priority) { await work() }
        }
    }

    func cancel() { task.withLock { $0?.cancel() } }

    /// Cancels the work and waits for its end; the current step is finished first.
    func stop() async {
        cancel()
        await task.withLock { $0 }?.value
    }
}

/// Work that a part of the store does in the background until the store is closed.
protocol BackgroundWork: AnyObject, Sendable {
    var task: BackgroundTask { get }

    /// Works until the task is cancelled.
    func run() async
}

extension BackgroundWork {
    /// Starts the work; later calls do nothing.
    func start() { task.start { await self.run() } }

    func cancel() { task.cancel() }

    /// Cancels the work and waits for its end; the current step is finished first.
    func stop() async { await task.stop() }
}
