import CSHA256
import CSystemCrypto
import Testing

@testable import Cryptography

@Suite("Our own incremental SHA-256 equals libcrypto's, and its state can be saved at any byte")
struct SHA256Tests {
    private static let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 * 31) }

    private static func library(_ bytes: some Collection<UInt8>) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        let bytes = Array(bytes)
        #expect(EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1)
        return Hex.encode(digest)
    }

    private struct NoState: Error {}

    /// Returns a run of our own that continues from a state.
    private static func run(from state: String? = SHA256.startState, after passed: Int = 0) throws -> SHA256 {
        guard let state, let hash = SHA256(state: state, after: passed) else { throw NoState() }
        return hash
    }

    @Test("Both kinds of runs have libcrypto's digest for random bytes of any length")
    func lengths() throws {
        for length in Array(0...260) + (0..<40).map({ _ in Int.random(in: 261...100_000) }) {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255) }
            var own = try Self.run()
            bytes.withUnsafeBytes { own.update($0) }
            let digest = own.finish()
            #expect(digest == Self.library(bytes), "of \(length) bytes")
            #expect(sha256(of: bytes) == digest)
        }
    }

    @Test("A run that is saved at any byte continues from there")
    func splits() throws {
        let expected = Self.library(Self.bytes)
        for split in 0...Self.bytes.count {
            var first = try Self.run()
            Self.bytes[..<split].withUnsafeBytes { first.update($0) }
            var second = try Self.run(from: first.state, after: split)
            Self.bytes[split...].withUnsafeBytes { second.update($0) }
            let digest = second.finish()
            #expect(digest == expected, "split at \(split)")
        }
    }

    @Test("Plain C has the same hash value as the processor's instructions")
    func portable() throws {
        for blocks in 0..<20 {
            let bytes = (0..<blocks * 64).map { _ in UInt8.random(in: 0...255) }
            var (one, other) = (csha256_run(), csha256_run())
            csha256_begin(&one)
            csha256_begin(&other)
            csha256_update(&one, bytes, bytes.count)
            withUnsafeMutableBytes(of: &other.words) { words in
                guard let words = words.bindMemory(to: UInt32.self).baseAddress else { return }
                csha256_portable(words, bytes, blocks)
            }
            let words = [one, other].map { run in withUnsafeBytes(of: run.words) { Array($0) } }
            #expect(words[0] == words[1])
        }
    }

    /// The states of OpenSSL's `SHA256_CTX` after the first bytes of the data above, as they are in stores.
    static let states: [(passed: Int, state: String)] = [
        (
            0,
            "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19"
        ),
        (
            1,
            "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd1900"
        ),
        (
            64,
            "a858fd187c80f7deadaeef9a17ea07e23dad94dfac6f147ffb78164130a1ac8c"
        ),
        (
            100,
            "a858fd187c80f7deadaeef9a17ea07e23dad94dfac6f147ffb78164130a1ac8cc0dffe1d3c5b7a99b8d7f61534537291"
                + "b0cfee0d2c4b6a89a8c7e60524436281a0bfdefd"
        ),
        (
            128,
            "9fa5801a823a5e0c00a91b8fe775f172c4ac044a0cd8419d9f1a927c46590b89"
        ),
    ]

    @Test("A state from libcrypto is continued, and is equal to our own", arguments: states)
    func earlier(passed: Int, state: String) throws {
        var hash = try Self.run(from: state, after: passed)
        Self.bytes[passed...].withUnsafeBytes { hash.update($0) }
        let digest = hash.finish()
        #expect(digest == "833d936721e69dac27b5b35ad663e4159e77fc4b8e092229f5f37297ab6884ac")
        var own = try Self.run()
        Self.bytes[..<passed].withUnsafeBytes { own.update($0) }
        let ownState = own.state
        #expect(ownState == state)
    }

    @Test("Other texts are not states", arguments: ["", "00", String(repeating: "0", count: 66), "x"])
    func noState(text: String) {
        let isState = SHA256(state: text, after: 0) != nil
        #expect(!isState)
    }

    @Test("A run for hashing alone has no state")
    func plain() {
        let state = SHA256().state
        #expect(state == nil)
    }
}
