import Dispatch
import Synchronization
import Testing

@testable import Tree

/// Transactions that read, decide and write.
@Suite(.timeLimit(.minutes(20))) struct TransactTests {
    struct Refusal: Error {}

    @Test(
        "many tasks that increment one counter lose no count, and no body runs more than twice",
        arguments: EngineKind.allCases)
    func contention(kind: EngineKind) async throws {
        try await withStore(kind) { store throws in
            try await withThrowingTaskGroup(of: Int64.self) { tasks in
                for _ in 0..<32 {
                    tasks.addTask {
                        var last: Int64 = 0
                        for _ in 0..<10 {
                            let runs = Mutex(0)
                            last = try await store.transact { snapshot, update in
                                runs.withLock { $0 += 1 }
                                let next = (try snapshot.get("counter")?.integerValue ?? 0) + 1
                                update["counter"] = .integer(next)
                                return next
                            }.result
                            #expect((1...2).contains(runs.withLock { $0 }))
                        }
                        return last
                    }
                }
                let last = try await tasks.reduce(0, max)
                #expect(last == 320, "the last one returns what it wrote")
            }
            #expect(try await store.get("counter") == 320)
            #expect(try await store.token.sequence == 320)
        }
    }

    /// The reads of a body, and for each a write that changes its result, or does not.
    static let reads:
        [(name: String, read: @Sendable (TreeSnapshot) throws -> String, path: TreePath, isChanged: Bool)] = [
            ("a value", { "\(String(describing: try $0.get("a/b")))" }, "a/b/c", true),
            ("a value that a write above replaces", { "\(String(describing: try $0.get("a/b")))" }, "a", true),
            ("a value beside", { "\(String(describing: try $0.get("a/b")))" }, "a/d", false),
            ("nothing", { "\(try $0.exists("none"))" }, "none/x", true),
            ("nothing beside", { "\(try $0.exists("none"))" }, "nona", false),
            ("an ETag", { try $0.etag(of: "a") }, "a/b/c", true),
            ("a page", { "\(try $0.children(of: "list", limit: 2).map(\.key))" }, "list/a1", true),
            ("a page, beyond its end", { "\(try $0.children(of: "list", limit: 2).map(\.key))" }, "list/x", false),
            ("all of a list", { "\(try $0.children(of: "list").map(\.key))" }, "list/x", true),
            ("keys", { "\(try $0.keys(of: "list", order: .descending, limit: 1))" }, "list/x", true),
            ("keys, before", { "\(try $0.keys(of: "list", order: .descending, limit: 1))" }, "list/a1", false),
            ("the position", { "\(try $0.token)" }, "elsewhere", true),
        ]

    @Test("a body runs again if a value that it has read has changed, and only then", arguments: EngineKind.allCases)
    func changes(kind: EngineKind) async throws {
        for (name, read, path, isChanged) in Self.reads {
            try await withStore(kind) { store throws in
                try await store.set(.root, to: ["a": ["b": ["c": 1]], "list": ["a": 1, "b": 2, "c": 3]])
                let seen = Mutex<[String]>([])
                let interference = Interference(of: store, at: path)
                try await store.transact { snapshot, update in
                    seen.withLock { [text = try read(snapshot)] in $0.append(text) }
                    interference.happen()
                    update["out"] = true
                }
                await interference.wait()
                let texts = seen.withLock { $0 }
                #expect(texts.count == (isChanged ? 2 : 1), "\(name): \(texts)")
                #expect(try await store.get("out") == true)
            }
        }
    }

    @Test(
        "an error that a body throws is passed on, and nothing is written; in its second run, too",
        arguments: EngineKind.allCases)
    func failures(kind: EngineKind) async throws {
        try await withStore(kind) { store throws in
            try await store.set("n", to: 1)
            await #expect(throws: Refusal.self) {
                try await store.transact { _, update in
                    update["n"] = 2
                    throw Refusal()
                }
            }
            #expect(try await store.get("n") == 1)
            let interference = Interference(of: store, at: "n")
            await #expect(throws: Refusal.self) {
                try await store.transact { snapshot, update in
                    guard try snapshot.get("n") == 1 else { throw Refusal() }
                    interference.happen()
                    update["n"] = 2
                }
            }
            #expect(try await store.get("n") == 0)
            await expectCode(.conflictingPaths) {
                try await store.transact { _, update in (update["a"], update["a/b"]) = (1, 2) }
            }
            await expectCode(.preconditionFailed) {
                try await store.transact { _, update in
                    update.preconditions = [.absent("n")]
                    update["m"] = 1
                }
            }
            #expect(try await store.get(.root) == ["n": 0])
        }
    }

    @Test("a body that writes nothing commits nothing; in its second run, too", arguments: EngineKind.allCases)
    func nothing(kind: EngineKind) async throws {
        try await withStore(kind) { store throws in
            let before = try await store.set("n", to: 1)
            let (value, token) = try await store.transact { snapshot, _ in try snapshot.get("n") }
            #expect(value == 1 && token == before)
            let interference = Interference(of: store, at: "n")
            let (result, after) = try await store.transact { snapshot, update in
                guard try snapshot.get("n") == 1 else { return "too late" }
                interference.happen()
                update["n"] = 2
                return "written"
            }
            #expect(result == "too late" && after.sequence == before.sequence + 1)
            #expect(try await store.get("n") == 0)
        }
    }

    @Test(
        "a large update is staged, and is decided again when another update was committed first",
        arguments: EngineKind.allCases)
    func staged(kind: EngineKind) async throws {
        let children = Dictionary(
            uniqueKeysWithValues: (0..<60).map { (TreeKey(unchecked: "k\($0)"), TreeValue.integer(1)) })
        try await withEngine(kind) { engine in
            let store = try await TreeStore(engine: engine, minRowsOfLargeWrite: 50)
            let interference = Interference(of: store, at: "n")
            try await store.set("n", to: 1)
            let runs = Mutex(0)
            try await store.transact { snapshot, update in
                runs.withLock { $0 += 1 }
                let number = try snapshot.get("n")
                interference.happen()
                update["large"] = .object(children.merging(["n": number ?? 7]) { $1 })
            }
            #expect(runs.withLock { $0 } == 2)
            #expect(try await store.get("large/n") == 0)
            await store.largeWrites.waitUntilSettled()
            #expect(try await keys(of: engine).filter { $0[0] == StoreFormat.stagingKeyspace } == [])
            await store.close()
        }
    }

    @Test("a closed store refuses a transaction, and a cancelled task reads nothing", arguments: EngineKind.allCases)
    func ends(kind: EngineKind) async throws {
        try await withStore(kind) { store throws in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await store.transact { _, update in update["n"] = 1 }
            }
            await expectCode(.cancelled) { try await task.value }
            #expect(try await store.get(.root) == nil)
            await store.close()
            await expectCode(.closed) { try await store.transact { _, update in update["n"] = 1 } }
        }
    }
}

/// A thread of its own, for work that must continue while a body blocks one of the tasks' threads.
private final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "interference")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A write by another client, once, in the middle of a body's first run.
private final class Interference: Sendable {
    private let store: TreeStore
    private let path: TreePath
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(of store: TreeStore, at path: TreePath) {
        (self.store, self.path) = (store, path)
    }

    /// Writes, and waits until the write is committed.
    func happen() {
        let done = DispatchSemaphore(value: 0)
        let isFirst = task.withLock { task in
            guard task == nil else { return false }
            task = Task(executorPreference: OwnThread()) { [store, path] in
                _ = try? await store.set(path, to: 0)
                done.signal()
            }
            return true
        }
        if isFirst { done.wait() }
    }

    func wait() async { await task.withLock { $0 }?.value }
}
