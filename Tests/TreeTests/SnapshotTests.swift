import Dispatch
import Testing

@testable import Tree

@Suite("C12: one writer, many readers, none of whom waits or sees half", .timeLimit(.minutes(30)))
struct SnapshotTests {
    @Test(
        "a reader's state stands still while writers write, and they do not wait for it", arguments: EngineKind.allCases
    )
    func standsStill(kind: EngineKind) async throws {
        let (isReading, hasWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try await withStore(kind) { store in
            try await store.set("a", to: 1)
            // The body blocks, so it has a thread of its own.
            let reader = Task(executorPreference: QueueExecutor()) {
                try await store.snapshot { snapshot throws in
                    let before = (try snapshot.get(.root), try snapshot.token)
                    isReading.signal()
                    hasWritten.wait()
                    let after = (try snapshot.get(.root), try snapshot.token)
                    #expect(before == after && after.0 == ["a": 1] && after.1.sequence == 1)
                    #expect(try snapshot.keys(of: .root) == ["a"] && !snapshot.exists("b"))
                }
            }
            try await Task(executorPreference: QueueExecutor()) {
                isReading.wait()
                defer { hasWritten.signal() }
                try await store.set("a", to: 2)
                try await store.set("b", to: ["c": 3])
                #expect(try await store.get(.root) == ["a": 2, "b": ["c": 3]])
            }.value
            try await reader.value
        }
    }

    @Test("what the body throws comes out as it is")
    func errors() async throws {
        struct OnPurpose: Error {}
        try await withStore(.memory) { store in
            await #expect(throws: OnPurpose.self) { try await store.snapshot { _ in throw OnPurpose() } }
        }
    }
}

/// Runs tasks on a thread that may be blocked.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "SnapshotTests")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
