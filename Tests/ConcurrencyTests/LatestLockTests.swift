import Concurrency
import Testing

@Suite("The latest of several holders gets the lock", .timeLimit(.minutes(5)))
struct LatestLockTests {
    @Test("A holder that ends within the grace period keeps its result, and its follower then stops waiting")
    func grace() async throws {
        let lock = LatestLock<Int>(grace: .seconds(3600))
        let (words, word) = AsyncStream.makeStream(of: Int.self)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        async let first = lock.withKey(1) {
            begin.finish()
            return await words.reduce(0, +)
        }
        for await _ in begun {}
        async let second = lock.withKey(1, isBrief: true) { 2 }
        for number in 1...3 { word.yield(number) }
        word.finish()
        #expect(try await first == 6)
        #expect(try await second == 2)
    }

    @Test("A holder that hangs is cancelled after the grace period")
    func hanging() async throws {
        let lock = LatestLock<Int>(grace: .milliseconds(1))
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await lock.withKey(1) {
                begin.finish()
                try await Task.sleep(for: .seconds(3600))
            }
        }
        for await _ in begun {}
        #expect(try await lock.withKey(1) { 2 } == 2)
        await #expect(throws: Preempted.self) { try await first.value }
        #expect(!lock.isHeld(1))
    }

    @Test("Different keys can be held at once")
    func others() async throws {
        let lock = LatestLock<Int>(grace: .seconds(3600))
        let value = try await lock.withKey(1) { try await lock.withKey(2) { 3 } }
        #expect(value == 3)
    }
}
