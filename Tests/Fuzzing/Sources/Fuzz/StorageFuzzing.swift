import Synchronization

/// The requests of the bucket under hostile bytes.
enum StorageFuzzing {
    static func take(_ bytes: [UInt8]) {
        let thread = ThisThread()
        Task(executorPreference: thread) {
            do {
                try await StorageChecks.check(bytes)
            } catch {
                fatalError("\(error)")
            }
            thread.isDone.store(true, ordering: .relaxed)
        }
        thread.run()
        guard thread.isDone.load(ordering: .relaxed) else { fatalError("a body waits for further bytes") }
    }

    /// Runs a task on the thread that waits for it. On another thread it could still free memory while the fuzzer counts
    /// allocations, which then looks for leaks each time.
    private final class ThisThread: TaskExecutor {
        let isDone = Atomic(false)
        private let jobs = Mutex<[UnownedJob]>([])

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobs.withLock { $0.append(job) }
        }

        func run() {
            while let job = jobs.withLock({ $0.popLast() }) { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
