import Testing

@testable import Cryptography

@Suite("Digests and texts")
struct CryptoTests {
    @Test("The SHA-256 of a text equals that of FIPS 180-4")
    func sha256() {
        let hex = Hex.encode(Digest.sha256("abc"))
        #expect(hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Digest.sha256("").prefix(4) == [0xE3, 0xB0, 0xC4, 0x42])
    }

    @Test("The HMAC of a message equals that of RFC 4231, case 2")
    func hmac() {
        let code = Digest.hmacSHA256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(code.prefix(8) == [0x5B, 0xDC, 0xC1, 0x46, 0xBF, 0x60, 0x75, 0x4E])
    }

    @Test("Only equal byte sequences compare as equal")
    func equality() {
        #expect(Digest.areEqual([1, 2, 3], [1, 2, 3]))
        #expect(Digest.areEqual([], []))
        #expect(!Digest.areEqual([1, 2, 3], [1, 2, 4]))
        #expect(!Digest.areEqual([1, 2, 3], [1, 2]))
    }

    @Test("Bytes of any length have one text, and can be read back from it", arguments: 0..<70)
    func base64(count: Int) throws {
        let bytes = try RandomText.bytes(count)
        let text = Base64URL.encode(bytes)
        #expect(Base64URL.decode(text.utf8) == bytes)
        #expect(text.utf8.count == (count * 4 + 2) / 3)
    }

    @Test("Random texts are different each time")
    func random() throws {
        #expect(try Set((0..<1000).map { _ in try RandomText.make(bytes: 16) }).count == 1000)
        #expect(try RandomText.make().utf8.count == 43)
    }
}

@Suite("Passwords")
struct PasswordHashTests {
    private static let cheap = PasswordHash.Cost(logN: 10, r: 1, p: 1)

    @Test("the result of scrypt equals that of RFC 7914, section 12")
    func vector() throws {
        let cost = PasswordHash.Cost(logN: 14, r: 8, p: 1)
        let hash = try #require(
            PasswordHash.scrypt("pleaseletmein", Array("SodiumChloride".utf8), cost, byteCount: 64))
        #expect(hash.prefix(8) == [0x70, 0x23, 0xBD, 0xCB, 0x3A, 0xFD, 0x73, 0x48])
        #expect(hash.suffix(4) == [0x45, 0x57, 0x58, 0x87])
    }

    @Test("A stored hash matches its own password, and no other")
    func comparison() throws {
        let hash = try PasswordHash(password: "correct horse é", cost: Self.cheap)
        let again = try #require(PasswordHash(text: hash.text))
        #expect(again == hash)
        #expect(again.matches("correct horse é"))
        for other in ["", "correct horse", "correct horse é ", "Correct horse é", "correct horse é\0"] {
            #expect(!again.matches(other))
        }
        #expect(try PasswordHash(password: "correct horse é", cost: Self.cheap) != hash, "each has its own salt")
        #expect(!"\(hash)".contains("scrypt"))
    }

    @Test("A hash from Firebase is compared, stored and read, and needs a new hash")
    func firebase() throws {
        // The example from Firebase's description of its scrypt.
        let text =
            "$firescrypt$ln=14,r=8,p=1$42xEC-ixf3L2lw$lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ$Bw$jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA"
        let hash = try #require(PasswordHash(text: text))
        #expect(hash.text == text && hash.needsRehash && "\(hash)" == "[hidden]")
        #expect(hash.matches("user1password"))
        for other in ["", "user1passwor", "user1password\0", String(repeating: "x", count: 5000)] {
            #expect(!hash.matches(other))
        }
        let parts = text.split(separator: "$")
        for (index, part) in [
            (3, "AA"), (3, ""), (5, "!"), (5, String(repeating: "A", count: 40)), (1, "ln=30,r=8,p=1"),
        ] {
            var changed = parts
            changed[index] = Substring(part)
            #expect(PasswordHash(text: "$" + changed.joined(separator: "$")) == nil, "\(part)")
        }
        #expect(PasswordHash(text: "$" + parts.dropLast().joined(separator: "$")) == nil)
        #expect(PasswordHash(text: "$" + parts.dropLast(2).joined(separator: "$")) == nil)
    }

    @Test("A hash with another cost needs a new hash, and one with today's cost does not")
    func rehash() throws {
        #expect(try PasswordHash(password: "x", cost: Self.cheap).needsRehash)
        let hash = try PasswordHash(password: "x")
        #expect(!hash.needsRehash)
        #expect(hash.text.hasPrefix("$scrypt$ln=15,r=8,p=1$"))
        #expect(hash.matches("x"))
    }

    @Test("The decoy hash matches no password, and takes as long as a real one")
    func decoy() {
        #expect(!PasswordHash.decoy.matches(""))
        #expect(!PasswordHash.decoy.needsRehash)
    }

    @Test("A password that is too long is refused")
    func longPassword() throws {
        let longest = String(repeating: "x", count: PasswordHash.maxPasswordBytes)
        #expect(throws: Never.self) { try PasswordHash(password: longest, cost: Self.cheap) }
        #expect(throws: KeyError.self) { try PasswordHash(password: longest + "x", cost: Self.cheap) }
        #expect(throws: KeyError.self) { try PasswordHash(password: "a\0", cost: Self.cheap) }
    }

    private static let rest = "AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

    @Test(
        "A malformed hash, or one with an unreasonable cost, is refused",
        arguments: [
            "", "$", "$scrypt$", "$scrypt$ln=15,r=8,p=1$\(rest)$", "scrypt$ln=15,r=8,p=1$\(rest)",
            "$bcrypt$ln=15,r=8,p=1$\(rest)", "$scrypt$ln=63,r=8,p=1$\(rest)", "$scrypt$ln=15,r=8,p=99999$\(rest)",
            "$scrypt$ln=15,r=-8,p=1$\(rest)", "$scrypt$ln=015,r=8,p=1$\(rest)", "$scrypt$ln=15,r=8$\(rest)",
            "$scrypt$ln=15,r=8,p=1,q=1$\(rest)", "$scrypt$ln=15,r=8,p=1$AA$AA",
        ])
    func unreadable(text: String) {
        #expect(PasswordHash(text: text) == nil)
        #expect(PasswordHash(text: "$scrypt$ln=15,r=8,p=1$\(Self.rest)") != nil)
    }
}
