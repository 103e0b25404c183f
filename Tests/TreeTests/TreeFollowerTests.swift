import Synchronization
import TestSupport
import Testing

@testable import Tree

@Suite("Followers of places", .timeLimit(.minutes(10))) struct TreeFollowerTests {
    /// The readings, changes and failures of a follower of the node `n`, as text in their order.
    private final class Account: Sendable {
        private let events: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation

        init() { (events, continuation) = AsyncStream.makeStream() }

        func add(_ event: String) { continuation.yield(event) }

        /// Returns the next events.
        func next(_ count: Int) async -> [String] {
            var (iterator, list) = (events.makeAsyncIterator(), [String]())
            while list.count < count, let event = await iterator.next() { list.append(event) }
            return list
        }
    }

    private struct Refusal: Error {}

    /// Runs a body beside a follower of the node `n`.
    ///
    /// - Parameters:
    ///   - reading: Called before each reading.
    ///   - taken: Called after each change.
    private func following(
        in store: TreeStore, bufferLimit: Int = 1024, reading: @escaping @Sendable () throws -> Void = {},
        taken: @escaping @Sendable (Change) async throws -> Void = { _ in }, _ body: (Account) async throws -> Void
    ) async throws {
        let account = Account()
        var follower = TreeFollower(of: "n", in: store, bufferLimit: bufferLimit) {
            try reading()
            account.add("read \(Self.text(try await store.get("n")))")
        } take: { change in
            account.add("take \(Self.text(change))")
            try await taken(change)
        }
        follower.longestDelay = 1
        try await withThrowingTaskGroup(of: Void.self) { [follower] group in
            group.addTask {
                await follower.run { account.add("failed \(($0 as? TreeError)?.code.rawValue ?? "here")") }
            }
            try await body(account)
            group.cancelAll()
        }
    }

    private static func text(_ change: Change) -> String {
        change.writes.map { "\($0.path.keys.map(\.string).joined(separator: "/"))=\(text($0.value))" }
            .joined(separator: " ")
    }

    private static func text(_ value: TreeValue?) -> String {
        value.map { $0.integerValue.map { "\($0)" } ?? "object" } ?? "-"
    }

    @Test("Each change is taken, after the place has been read", arguments: EngineKind.allCases)
    func changes(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            try await store.set("n/a", to: 1)
            try await following(in: store) { account in
                #expect(await account.next(1) == ["read object"])
                try await store.set("n/b", to: 2)
                try await store.set("other", to: 3)
                var update = MultiPathUpdate()
                (update["n/a"], update["n/c/d"]) = (4, 5)
                try await store.update(update)
                try await store.set("n", to: nil)
                #expect(await account.next(3) == ["take b=2", "take a=4 c/d=5", "take =-"])
            }
            #expect(!store.commits.hasListeners, "it ends with its task")
        }
    }

    @Test("A follower that falls behind reads the place again, which is no failure")
    func overflow() async throws {
        try await withStore(.memory) { store in
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            try await following(in: store, bufferLimit: 2, taken: { _ in for await _ in gate {} }) { account in
                #expect(await account.next(1) == ["read -"])
                try await store.set("n", to: 1)
                #expect(await account.next(1) == ["take =1"])
                for number in 2...9 as ClosedRange<Int64> { try await store.set("n", to: .integer(number)) }
                await store.commits.waitForDelivery()
                opening.finish()
                #expect(await account.next(3) == ["take =2", "take =3", "read 9"])
                try await store.set("n", to: 10)
                #expect(await account.next(1) == ["take =10"])
            }
        }
    }

    @Test("After failures in a row, of which the first is reported, the place is read again")
    func failures() async throws {
        try await withStore(.memory) { store in
            let failures = Mutex(3)
            try await following(in: store) {
                let fails = failures.withLock { count in
                    count -= 1
                    return count >= 0
                }
                if fails { throw Refusal() }
            } taken: { change in
                if change.writes.first?.value == 2 { throw Refusal() }
            } _: { account in
                #expect(await account.next(2) == ["failed here", "read -"])
                try await store.set("n", to: 1)
                #expect(await account.next(1) == ["take =1"])
                try await store.set("n", to: 2)
                #expect(await account.next(3) == ["take =2", "failed here", "read 2"])
                try await store.set("n", to: 3)
                #expect(await account.next(1) == ["take =3"])
            }
        }
    }

    @Test("The end of the store is a failure")
    func closed() async throws {
        try await withStore(.memory) { store in
            try await following(in: store) { account in
                #expect(await account.next(1) == ["read -"])
                await store.close()
                #expect(await account.next(1) == ["failed closed"])
            }
        }
    }
}
