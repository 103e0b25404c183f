import Access
import Cryptography
import Testing

@testable import Accounts

/// Password hashing and its queue.
@Suite(.timeLimit(.minutes(20))) struct PasswordHasherTests {
    @Test("A hash matches its own password only")
    func compare() async throws {
        let hasher = PasswordHasher(atATime: 1)
        let hash = try await hasher.hash("sesame!", for: "a")
        #expect(try await hasher.compare("sesame!", with: hash, for: "a") == .right)
        #expect(try await hasher.compare("Sesame!", with: hash, for: "a") == .wrong)
        #expect(try await hasher.compare("sesame!", with: nil, for: "a") == .wrong)
        #expect(try await hasher.compare("sesame!", with: Secret("damaged"), for: "a") == .wrong)
        #expect(hasher.count == 5)
    }

    @Test("A password beyond 4,096 bytes is refused without work")
    func tooLong() async throws {
        let hasher = PasswordHasher(atATime: 1)
        await #expect(throws: IdentityError.invalidValue("password")) {
            _ = try await hasher.compare(String(repeating: "x", count: 4097), with: nil, for: "a")
        }
        #expect(hasher.count == 0)
    }
}
