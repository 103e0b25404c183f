import CSystemCrypto
import Cryptography
import Glibc
import Testing

@Suite("The state of libcrypto")
struct CryptoLibraryTests {
    /// Uses libcrypto and exits; the status is 7 if libcrypto frees its state then.
    private static func useAndExit() -> Never {
        _ = try? RandomText.bytes(1)
        guard OPENSSL_atexit({ _exit(7) }) == 1 else { exit(8) }
        exit(0)
    }

    @Test("It is not freed when the process exits, while threads that have used it may be ending")
    func kept() async {
        await #expect(processExitsWith: .exitCode(7)) { CryptoLibraryTests.useAndExit() }
        await #expect(processExitsWith: .success) {
            CryptoLibrary.keepUntilEnd()
            CryptoLibraryTests.useAndExit()
        }
    }
}
