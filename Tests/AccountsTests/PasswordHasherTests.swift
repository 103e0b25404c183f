import Access
import Testing

@testable import Accounts

/// The work of hashing, and the line for it.
@Suite(.timeLimit(.minutes(30))) struct PasswordHasherTests {
    @Test("a hash is of its password only")
    func compare() async throws {
        let hasher = PasswordHasher(atATime: 1)
        let hash = try await hasher.hash("sesame!", for: "a")
        #expect(try await hasher.compare("sesame!", with: hash, for: "a") == .right)
        #expect(try await hasher.compare("Sesame!", with: hash, for: "a") == .wrong)
        #expect(try await hasher.compare("sesame!", with: nil, for: "a") == .wrong)
        #expect(try await hasher.compare("sesame!", with: Secret("damaged"), for: "a") == .wrong)
        #expect(hasher.count == 5)
    }

    @Test("a password beyond 4,096 bytes is refused without work")
    func tooLong() async throws {
        let hasher = PasswordHasher(atATime: 1)
        await #expect(throws: IdentityError.invalidValue("password")) {
            _ = try await hasher.compare(String(repeating: "x", count: 4097), with: nil, for: "a")
        }
        #expect(hasher.count == 0)
    }

    @Test("one who sends many makes nobody wait for more than those before")
    func fairness() async throws {
        let semaphore = FairSemaphore(1, maxWaiting: 100, maxWaitingOfOwner: 100)
        #expect(await semaphore.wait(for: "first"))
        let order = Recorder<String>()
        await withTaskGroup { tasks in
            for index in 0..<6 {
                let owner = index < 5 ? "many" : "one"
                tasks.addTask {
                    guard await semaphore.wait(for: owner) else { return }
                    order.add(owner)
                    semaphore.signal()
                }
                while semaphore.waitingCount <= index { await Task.yield() }
            }
            semaphore.signal()
        }
        #expect(order.all == ["many", "one", "many", "many", "many", "many"])
    }

    @Test("the line has an end, for each and for all")
    func bound() async throws {
        let semaphore = FairSemaphore(1, maxWaiting: 3, maxWaitingOfOwner: 2)
        #expect(await semaphore.wait(for: "first"))
        let admitted = await withTaskGroup(of: Bool.self) { tasks in
            for (index, owner) in ["a", "a", "b"].enumerated() {
                tasks.addTask {
                    guard await semaphore.wait(for: owner) else { return false }
                    semaphore.signal()
                    return true
                }
                while semaphore.waitingCount <= index { await Task.yield() }
            }
            for owner in ["a", "b", "c"] { #expect(await !semaphore.wait(for: owner)) }
            semaphore.signal()
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(admitted == [true, true, true])
        #expect(await semaphore.wait(for: "a"), "all turns were given back")
    }
}
