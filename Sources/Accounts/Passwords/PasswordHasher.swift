import Access
import Concurrency
import Cryptography
import NIOPosix
import Synchronization

/// Hashes and checks passwords on its own threads, a limited number at a time: each takes 32 MiB and nearly a tenth of
/// a second of processor time.
package final class PasswordHasher: Sendable {
    private let threads: NIOThreadPool
    private let turns: AsyncSemaphore
    private let made = Mutex(0)

    /// - Parameters:
    ///   - count: The number of hashes that are computed at a time.
    ///   - maxWaiting: The largest number that may wait.
    ///   - maxWaitingOfCaller: The largest number of one caller that may wait.
    package init(atATime count: Int, maxWaiting: Int = 256, maxWaitingOfCaller: Int = 64) {
        threads = NIOThreadPool(numberOfThreads: max(1, count))
        threads.start()
        turns = AsyncSemaphore(max(1, count), maxWaiting: maxWaiting, maxWaitingOfOwner: maxWaitingOfCaller)
    }

    deinit { threads.shutdownGracefully { _ in } }

    /// The number of hashes that have been computed, for new passwords and for comparisons.
    package var count: Int { made.withLock { $0 } }

    /// Returns the hash of a new password.
    ///
    /// - Parameter caller: The caller, for fair turns.
    /// - Throws: `INVALID_ARGUMENT` for a password that is too long, and the error of a busy service.
    func hash(_ password: String, for caller: String) async throws(IdentityError) -> Secret {
        try Self.check(password)
        let hash = try await run(for: caller) { (try? PasswordHash(password: password)).map { Secret($0.text) } }
        guard let hash else { throw .unavailable(reason: "no password can be hashed") }
        return hash
    }

    /// The result of a comparison.
    enum Comparison: Sendable {
        case wrong
        case right
        /// It is right, but should be hashed again, because the hash is weaker than those that are created today.
        case rightButWeak
    }

    /// Compares a password with a hash. Without a hash, the comparison takes the same time and fails.
    ///
    /// - Parameter caller: The caller, for fair turns.
    /// - Throws: `INVALID_ARGUMENT` for a password that is too long, and the error of a busy service.
    func compare(_ password: String, with hash: Secret?, for caller: String) async throws(IdentityError) -> Comparison {
        try Self.check(password)
        let known = hash.flatMap { PasswordHash(text: $0.text) }
        return try await run(for: caller) {
            guard (known ?? .decoy).matches(password), let known else { return .wrong }
            return known.needsRehash ? .rightButWeak : .right
        }
    }

    private static func check(_ password: String) throws(IdentityError) {
        guard password.utf8.count <= PasswordHash.maxPasswordBytes else { throw .invalidValue("password") }
    }

    /// Runs work on the threads in the caller's turn.
    private func run<Value: Sendable>(
        for caller: String, _ body: @escaping @Sendable () -> Value
    ) async throws(IdentityError) -> Value {
        guard await turns.wait(for: caller) else { throw .unavailable(reason: "too many passwords wait") }
        defer { turns.signal() }
        made.withLock { $0 += 1 }
        return await withCheckedContinuation { continuation in
            threads.submit { _ in continuation.resume(returning: body()) }
        }
    }
}
