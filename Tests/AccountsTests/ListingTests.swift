import Access
import Cryptography
import Testing
import Tree
import TreeModel

@testable import Accounts

/// Lists of many accounts, and imported accounts.
@Suite(.timeLimit(.minutes(20))) struct ListingTests {
    /// Writes accounts without passwords, many at a time.
    private func fill(_ fixture: Fixture, count: Int) async throws {
        for start in stride(from: 0, to: count, by: 500) {
            try await fixture.store.transact { transaction in
                for index in start..<min(start + 500, count) {
                    let text = "u" + String(index + 100_000)
                    var account = Account(uid: text, createdAt: transaction.now)
                    account.email = EmailAddress("\(text)@example.com")
                    try transaction.create(account)
                }
            }
        }
    }

    @Test("10,000 accounts are listed in pages, each once, in the order of ids, with any size of pages")
    func pages() async throws {
        try await withAccounts { fixture in
            try await fill(fixture, count: 10_000)
            #expect(try await fixture.store.count() == 10_000)
            for size in [1000, 777] {
                var (ids, pageCount) = ([String](), 0)
                var token: JSONValue?
                repeat {
                    var body: JSONValue = ["maxResults": .string(String(size))]
                    body["nextPageToken"] = token
                    let page = try await fixture.perform(.batchGet, body, by: Fixture.admin)
                    #expect(page["kind"] == "identitytoolkit#DownloadAccountResponse")
                    ids += page["users"]?.list.compactMap { $0["localId"]?.string } ?? []
                    token = page["nextPageToken"]
                    pageCount += 1
                } while token != nil && pageCount < 20
                #expect(ids.count == 10_000)
                #expect(ids == ids.sorted())
                #expect(Set(ids).count == 10_000)
            }
            let count = try await fixture.perform(.query, ["returnUserInfo": false], by: Fixture.admin)
            #expect(count == ["recordsCount": "10000"])
            let some = try await fixture.perform(.query, ["offset": "9990", "limit": "500"], by: Fixture.admin)
            #expect(some["recordsCount"] == "10")
            let beyond = try await fixture.perform(.query, ["offset": "10000"], by: Fixture.admin)
            #expect(beyond == ["recordsCount": "0", "userInfo": []])
            let found = try await fixture.perform(
                .query, ["expression": [["email": "u100007@example.com"], ["userId": "u100007"], ["userId": "none"]]],
                by: Fixture.admin)
            #expect(found["userInfo"]?.list.compactMap { $0["localId"] } == ["u100007"])
        }
    }

    @Test("A page has 20 accounts unless more are requested, and 1,000 at most")
    func pageSizes() async throws {
        try await withAccounts { fixture in
            try await fill(fixture, count: 1001)
            for (asked, count) in [(0, 20), (5, 5), (5000, 1000)] {
                let page = try await fixture.perform(.batchGet, ["maxResults": .integer(asked)], by: Fixture.admin)
                #expect(page["users"]?.list.count == count)
            }
            let query = try await fixture.perform(.query, [:], by: Fixture.admin)
            #expect(query["userInfo"]?.list.count == 500)
        }
    }

    /// The scrypt of `pleaseletmein` with the salt `SodiumChloride` (RFC 7914 §12).
    private static let hash =
        "cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw=="
    private static let scrypt: JSONValue = [
        "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 16384, "blockSize": 8, "parallelization": 1, "dkLen": 64,
    ]

    @Test("Imported accounts keep their passwords, if scrypt hashed them, and get a stronger hash at a sign-in")
    func importHashes() async throws {
        try await withAccounts { fixture in
            var body = Self.scrypt
            body["users"] = [
                [
                    "localId": "u1", "email": "ann@example.com", "passwordHash": .string(Self.hash),
                    "salt": "U29kaXVtQ2hsb3JpZGU=", "createdAt": "1500000000000", "lastLoginAt": "1600000000000",
                ]
            ]
            let answer = try await fixture.perform(.batchCreate, body, by: Fixture.admin)
            #expect(answer == ["kind": "identitytoolkit#UploadAccountResponse"])
            let before = try await fixture.store.account("u1")
            let app = try await fixture.signIn("ann@example.com", "pleaseletmein")
            #expect(try await fixture.me(app)["createdAt"] == "1500000000000")
            let after = try await fixture.store.account("u1")
            #expect(before?.passwordHash != after?.passwordHash)
            #expect(try await fixture.signIn("ann@example.com", "pleaseletmein").uid == "u1")
        }
    }

    /// The parameters and the hash of the example in Firebase's own documentation of its scrypt.
    private static let firebaseScrypt: JSONValue = [
        "hashAlgorithm": "SCRYPT", "memoryCost": 14, "rounds": 8, "saltSeparator": "Bw==",
        "signerKey":
            "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
    ]
    private static let firebaseUser: JSONValue = [
        "localId": "u1", "email": "ann@example.com", "salt": "42xEC+ixf3L2lw==",
        "passwordHash":
            "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
    ]

    @Test("Accounts that Firebase exported keep their passwords, and get the service's hash at a sign-in")
    func importFirebaseHashes() async throws {
        try await withAccounts { fixture in
            var body = Self.firebaseScrypt
            body["users"] = [Self.firebaseUser]
            #expect(try await fixture.perform(.batchCreate, body, by: Fixture.admin)["error"] == nil)
            let wrong: JSONValue = ["email": "ann@example.com", "password": "user2password"]
            #expect(await fixture.refusal(.signInWithPassword, wrong) == "INVALID_LOGIN_CREDENTIALS")
            let before = try await fixture.store.account("u1")?.passwordHash?.text
            #expect(before?.hasPrefix("$firescrypt$ln=14,r=8,p=1$") == true)
            #expect(try await fixture.signIn("ann@example.com", "user1password").uid == "u1")
            let after = try await fixture.store.account("u1")?.passwordHash?.text
            #expect(after?.hasPrefix("$scrypt$ln=15,r=8,p=1$") == true)
            #expect(try await fixture.signIn("ann@example.com", "user1password").uid == "u1")
        }
    }

    @Test(
        "A hash that does not match its parameters is refused",
        arguments: [
            ("signerKey", nil), ("signerKey", "AAAA"), ("signerKey", "!"), ("memoryCost", nil), ("memoryCost", 60),
            ("rounds", 0), ("rounds", nil), ("saltSeparator", "====!"), ("saltSeparator", 7),
        ] as [(String, JSONValue?)])
    func badFirebaseHash(name: String, value: JSONValue?) async throws {
        try await withAccounts { fixture in
            var body = Self.firebaseScrypt
            body[name] = value
            body["users"] = [Self.firebaseUser]
            let answer = try await fixture.perform(.batchCreate, body, by: Fixture.admin)
            let message = answer["error"]?.list.first?["message"]?.string
            #expect(message?.hasPrefix("INVALID_ARGUMENT") == true, "\(answer)")
            #expect(try await fixture.store.account("u1") == nil)
        }
    }

    @Test("Each account of an import is accepted or refused separately")
    func importErrors() async throws {
        try await withAccounts { fixture in
            _ = try await fixture.signUp()
            try await fixture.perform(.create, ["localId": "there"], by: Fixture.admin)
            var body = Self.scrypt
            body["users"] = [
                ["localId": "good", "rawPassword": "sesame!", "email": "bob@example.com"], [:], ["localId": "a.b"],
                ["localId": "there"], ["localId": "e", "email": "ann@example.com"], ["localId": "f", "email": "x"],
                ["localId": "g", "customAttributes": "x"], ["localId": "h", "passwordHash": "AA", "salt": "AA"],
                ["localId": "i", "providerUserInfo": [["providerId": "google.com"]]],
            ]
            let answer = try await fixture.perform(.batchCreate, body, by: Fixture.admin)
            let errors = answer["error"]?.list ?? []
            #expect(errors.compactMap { $0["index"]?.integer } == [1, 2, 3, 4, 5, 6, 7, 8])
            let codes = errors.compactMap { $0["message"]?.string?.split(separator: " ").first.map(String.init) }
            #expect(
                codes == [
                    "MISSING_LOCAL_ID", "INVALID_LOCAL_ID", "localId", "EMAIL_EXISTS", "INVALID_EMAIL",
                    "INVALID_CLAIMS",
                    "INVALID_ARGUMENT", "MISSING_RAW_ID",
                ])
            _ = try await fixture.signIn("bob@example.com")
            body["hashAlgorithm"] = "BCRYPT"
            body["users"] = [["localId": "h", "passwordHash": "AA"]]
            let other = try await fixture.perform(.batchCreate, body, by: Fixture.admin)
            let message = other["error"]?.list.first?["message"]
            #expect(message == "INVALID_HASH_ALGORITHM : Only hashes by SCRYPT or STANDARD_SCRYPT can be taken over")
        }
    }

    @Test("An import replaces an account on request, and signs its owner out")
    func overwrite() async throws {
        try await withAccounts { fixture in
            let app = try await fixture.signUp()
            let body: JSONValue = [
                "allowOverwrite": true,
                "users": [
                    [
                        "localId": .string(app.uid), "email": "eve@example.com",
                        "providerUserInfo": [["providerId": "google.com", "rawId": "7", "displayName": "Eve"]],
                    ]
                ],
            ]
            #expect(try await fixture.perform(.batchCreate, body, by: Fixture.admin)["error"] == nil)
            #expect(await fixture.refresh(app.refreshToken) == "TOKEN_EXPIRED")
            let account = try await fixture.store.account(provider: "google.com", rawID: "7")
            #expect(account?.uid == app.uid)
            #expect(account?.passwordHash == nil)
            #expect(try await fixture.store.count() == 1)
            let old = try await fixture.store.account(email: try #require(EmailAddress("ann@example.com")))
            #expect(old == nil)
        }
    }
}
