import Model
import PasskeySupport
import Testing
import TreeModel

@testable import Accounts

/// Passkeys from hostile clients, and the sites for which there are passkeys.
@Suite(.timeLimit(.minutes(20))) struct PasskeyHostileTests {
    typealias Statement = SoftwareAuthenticator.Statement

    /// Texts of CBOR in hexadecimal digits, and whether they are read.
    static let values: [(hex: [UInt8], value: CBORValue?)] = [
        ([0x00], .integer(0)), ([0x18, 0xFF], .integer(255)), ([0x39, 0x01, 0x00], .integer(-257)),
        ([0x42, 1, 2], .bytes([1, 2])), ([0x62, 0xC3, 0xA4], .text("ä")),
        ([0x82, 0x01, 0xF5], .list([.integer(1), .simple(21)])),
        ([0xA1, 0x61, 0x61, 0x40], .map(["a": .bytes([])])), ([0xA1, 0x20, 0xF6], .map([-1: .simple(22)])),
        // Nothing, bytes at the end, and missing bytes.
        ([], nil), ([0x00, 0x00], nil), ([0x18], nil), ([0x42, 1], nil), ([0x82, 0x01], nil), ([0xA1, 0x01], nil),
        // Lengths of more bytes than there are.
        ([0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], nil),
        ([0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], nil),
        ([0xBB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], nil),
        ([0x1B, 0x80, 0, 0, 0, 0, 0, 0, 0], nil), ([0x3B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], nil),
        ([0x3B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .integer(.min)),
        // Indefinite lengths, reserved details, tags, floating-point numbers and `undefined`.
        ([0x5F, 0x41, 1, 0xFF], nil), ([0x9F, 0xFF], nil), ([0xBF, 0xFF], nil), ([0x1C], nil), ([0xC0, 0x00], nil),
        ([0xF9, 0, 0], nil), ([0xFB, 0, 0, 0, 0, 0, 0, 0, 0], nil), ([0xF7], nil), ([0xF8, 20], nil),
        // Duplicate keys, a key of another type, and malformed UTF-8.
        ([0xA2, 0x01, 0x00, 0x01, 0x00], nil), ([0xA1, 0x41, 0x61, 0x00], nil), ([0x61, 0xFF], nil),
        // The greatest depth, and one more.
        ([0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x00], .nested(7)), ([UInt8](repeating: 0x81, count: 8) + [0], nil),
    ]

    @Test("CBOR is read strictly")
    func cbor() {
        for (bytes, value) in Self.values { #expect(CBORReader.value(of: bytes) == value, "\(bytes)") }
        #expect(CBORReader.value(of: [UInt8](repeating: 0x81, count: 100_000)) == nil)
    }

    @Test("No truncation of a new passkey is accepted, and no change of its bytes ends the process")
    func flips() async throws {
        var limits = ThrottleLimits()
        limits.challengesFromAddress = RateLimit(burst: 10_000, interval: 1)
        try await withPasskeys(limits: limits) { fixture in
            let app = try await fixture.signUp()
            let device = try SoftwareAuthenticator()
            func refusal(_ change: (inout [UInt8]) -> Void) async throws -> String {
                let statement = Statement.creation(try await fixture.creationChallenge(app))
                var bytes = try device.attestation(statement)
                change(&bytes)
                let body = try fixture.body(app, device.registration(statement, attestation: bytes))
                return await fixture.refusal(.finalizePasskeyEnrollment, body)
            }
            let count = try device.attestation(.creation("AAAA")).count
            for length in 0..<count {
                let found = try await refusal { $0.removeLast($0.count - length) }
                #expect(found.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE"), "\(length): \(found)")
            }
            var generator = SystemRandomNumberGenerator()
            for _ in 0..<400 {
                let found = try await refusal { bytes in
                    for _ in 0..<Int.random(in: 1...3, using: &generator) {
                        let index = Int.random(in: 0..<bytes.count, using: &generator)
                        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                    }
                }
                // Such as a change of the model, which nobody reads; there may be a passkey then.
                let isKnown = found == "done" || found.hasPrefix("OPERATION_NOT_ALLOWED")
                #expect(isKnown || found.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE"), "\(found)")
                if found == "done" { try await fixture.removePasskeys(of: app) }
            }
        }
    }

    @Test("No change of a signed statement signs anybody in")
    func changedSignIns() async throws {
        var limits = ThrottleLimits()
        (limits.challengesFromAddress, limits.passwordsFromAddress, limits.passwordsOfAccountFromAddress) = (
            RateLimit(burst: 10_000, interval: 1), RateLimit(burst: 10_000, interval: 1),
            RateLimit(burst: 10_000, interval: 1)
        )
        try await withPasskeys(limits: limits) { fixture in
            let app = try await fixture.signUp()
            let device = try SoftwareAuthenticator()
            _ = try await fixture.add(device, to: app)
            for name in ["authenticatorData", "signature", "clientDataJSON"] {
                let statement = Statement.assertion(try await fixture.signInChallenge())
                let text = try device.authentication(statement)["response"]?[name]?.string
                let length = text.flatMap(PasskeyText.bytes)?.count ?? 0
                for index in 0..<length {
                    let change = UInt8.random(in: 1...255)
                    let statement = Statement.assertion(try await fixture.signInChallenge())
                    let response = try device.authentication(statement).changing(name) { bytes in
                        // A signature's length varies from one to the next.
                        bytes[min(index, bytes.count - 1)] ^= change
                    }
                    let found = await fixture.refusedSignIn(response)
                    #expect(found.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE"), "\(name) \(index): \(found)")
                    let shorter = try device.authentication(.assertion(try await fixture.signInChallenge()))
                        .changing(name) { bytes in bytes.removeLast(bytes.count - min(index, bytes.count - 1)) }
                    #expect(await fixture.refusedSignIn(shorter).hasPrefix("INVALID_AUTHENTICATOR_RESPONSE"))
                }
            }
        }
    }

    /// Requests that are no responses of authenticators.
    static let malformed: [JSONValue] = [
        [:], ["authenticatorAuthenticationResponse": 1], ["authenticatorAuthenticationResponse": [:]],
        ["authenticatorAuthenticationResponse": ["id": "AAAA"]],
        ["authenticatorAuthenticationResponse": ["id": "AAAA", "response": []]],
        ["authenticatorAuthenticationResponse": ["id": "AAAA", "response": [:]]],
        ["authenticatorAuthenticationResponse": ["id": "", "response": ["clientDataJSON": "AAAA"]]],
        ["authenticatorAuthenticationResponse": ["id": "AAAA", "response": ["clientDataJSON": "A"]]],
        ["authenticatorAuthenticationResponse": ["id": "AAAA", "response": ["clientDataJSON": 5]]],
        [
            "authenticatorAuthenticationResponse": [
                "id": .string(String(repeating: "A", count: 1368)), "response": ["clientDataJSON": "AAAA"],
            ]
        ],
    ]

    @Test("Malformed requests are refused")
    func malformedRequests() async throws {
        try await withPasskeys { fixture in
            for body in Self.malformed {
                let found = await fixture.refusal(.finalizePasskeySignIn, body)
                #expect(found.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE"), "\(body)")
            }
        }
    }

    @Test("Wrong sign-ins are slowed down, and right ones are not")
    func throttled() async throws {
        try await withPasskeys { fixture in
            let app = try await fixture.signUp()
            let (device, thief) = (try SoftwareAuthenticator(), try SoftwareAuthenticator(id: [1]))
            _ = try await fixture.add(device, to: app)
            for _ in 0..<20 { _ = try await fixture.signIn(device, counter: 0) }
            for _ in 0..<10 { try await #expect(fixture.refusedSignIn(thief) == "PASSKEY_ENROLLMENT_NOT_FOUND") }
            try await #expect(fixture.refusedSignIn(thief).hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER"))
            _ = try await fixture.signIn(device, counter: 0)
        }
    }

    /// Public addresses and callers' own, and the sites.
    static let sites: [(origin: String?, authority: String?, site: String?)] = [
        ("https://photos.example", nil, "photos.example"), ("https://photos.example:8443", nil, "photos.example"),
        ("https://photos.example", "localhost", "photos.example"), (nil, "localhost:8080", "localhost"),
        (nil, "LOCALHOST", "localhost"), ("http://localhost:8080", nil, "localhost"),
        ("http://photos.example", nil, nil), (nil, "photos.example", nil), (nil, "127.0.0.1:8080", nil),
        (nil, "[::1]:8080", nil), ("https://192.0.2.1", nil, nil), ("https://[2001:db8::1]", nil, nil), (nil, nil, nil),
        (nil, "localhost.example", nil), (nil, "", nil),
    ]

    @Test("The site is the host of the public address, or localhost")
    func site() {
        for (origin, authority, site) in Self.sites {
            var settings = IdentitySettings(actionURL: "")
            settings.origin = origin
            let caller = IdentityCaller(address: "192.0.2.1", authority: authority)
            #expect((try? PasskeySite(settings, for: caller))?.id == site, "\(origin ?? "") \(authority ?? "")")
        }
    }

    @Test("Only apps and pages of the site use its passkeys")
    func origins() throws {
        let local = try PasskeySite(
            IdentitySettings(actionURL: ""), for: IdentityCaller(address: "", authority: "localhost:80"))
        for origin in ["http://localhost", "https://localhost", "http://localhost:1", "https://localhost:8443"] {
            #expect(local.isOrigin(origin), "\(origin)")
        }
        for origin in [
            "localhost", "", "ftp://localhost", "http://localhost:", "http://localhost:1a", "http://localhost.example",
            "http://localhost:70000", "http://localhost/", "http://127.0.0.1", "null",
        ] { #expect(!local.isOrigin(origin), "\(origin)") }
        var settings = IdentitySettings(actionURL: "")
        settings.origin = "https://photos.example:8443"
        let site = try PasskeySite(settings, for: IdentityCaller(address: ""))
        #expect(site.isOrigin("https://photos.example") && site.isOrigin("https://photos.example:8443"))
        #expect(!site.isOrigin("https://photos.example:1") && !site.isOrigin("http://photos.example"))
    }
}

extension CBORValue {
    /// Returns a number in lists of a depth.
    fileprivate static func nested(_ depth: Int) -> CBORValue {
        depth == 0 ? .integer(0) : .list([nested(depth - 1)])
    }
}

extension JSONValue {
    /// Returns the response of an authenticator with other bytes in a field.
    fileprivate func changing(_ name: String, _ change: (inout [UInt8]) -> Void) -> JSONValue {
        var response = self["response"] ?? [:]
        var bytes = response[name]?.string.flatMap(PasskeyText.bytes) ?? []
        change(&bytes)
        response[name] = PasskeyEnrollment.text(bytes)
        return ["id": self["id"] ?? "", "response": response]
    }
}

extension Fixture {
    /// Removes the passkeys of an account.
    fileprivate func removePasskeys(of app: SignedInApp) async throws {
        let ids = try await me(app)["passkeyInfo"]?.list.compactMap { $0["credentialId"] } ?? []
        try await perform(.update, ["idToken": .string(app.idToken), "deletePasskey": .list(ids)])
    }
}
