import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel

@Suite("Signing in at the service", .serialized)
struct SignInTests {
    @Test("A person signs up with a password, signs in, changes the account and deletes it")
    func password() async throws {
        try await ServiceProcess.run { service in
            let client = Phones.client(service)
            let session = client.session
            let account = try await session.signUp(email: "ann@example.org", password: "correct horse", name: "Ann")
            #expect(account.email == "ann@example.org" && !account.isAnonymous)
            #expect(try await session.state == .signedIn(account))
            let details = try await session.accountDetails()
            #expect(details.id == account.id && details.email == account.email && !details.isEmailVerified)
            #expect(details.name == "Ann" && details.providers == ["password"])
            #expect(details.createdAt != nil && details.lastSignInAt != nil)
            try await session.changeName(to: "Ann Lée")
            #expect(try await session.accountDetails().name == "Ann Lée")

            let other = Phones.client(service).session
            try await other.signIn(email: "ann@example.org", password: "correct horse")
            try await session.changePassword(to: "battery staple")
            #expect(try await session.accountDetails().id == account.id, "the session goes on")
            await #expect(throws: SessionError.expired(account.id)) { try await other.accountDetails() }
            #expect(try await other.state == .expired(account), "the other sessions end")

            try await session.signOut()
            #expect(try await session.state == .signedOut)
            await #expect(throws: SessionError.signedOut) { try await session.accountDetails() }
            #expect(try await session.signIn(email: "ann@example.org", password: "battery staple") == account)
            await check([
                (.emailExists, { try await other.signUp(email: "ann@example.org", password: "secret") }),
                (.weakPassword, { try await other.signUp(email: "bob@example.org", password: "short") }),
                (.invalidEmail, { try await other.signUp(email: "bob", password: "secret") }),
                (.invalidCredentials, { try await other.signIn(email: "ann@example.org", password: "correct horse") }),
                (.invalidCredentials, { try await other.signIn(email: "bob@example.org", password: "secret") }),
                (.weakPassword, { try await session.changePassword(to: "short") }),
                (.adminOnly, { try await other.signInAnonymously() }),
            ])
            #expect(try await other.state == .expired(account), "a refused sign-in changes nothing")
            try await session.deleteAccount()
            #expect(try await session.state == .signedOut)
            await check([
                (.invalidCredentials, { try await other.signIn(email: "ann@example.org", password: "battery staple") })
            ])
        }
    }

    @Test("A disabled or deleted account ends its sessions, and a password is guessed a few times only")
    func ended() async throws {
        try await Phones.run { phones in
            let request = ServiceRequest("GET", ["v1", "sync"])
            _ = try await phones.bob.response(to: request)
            try await phones.service.command(["user", "disable", "bob@example.org"])
            await #expect(throws: SessionError.expired("bob")) { _ = try await phones.bob.response(to: request) }
            try await phones.service.command(["user", "rm", "ann@example.org", "--yes"])
            await #expect(throws: SessionError.expired("ann")) { _ = try await phones.ann.response(to: request) }
            let session = phones.stranger.session
            await check([
                (.userDisabled, { try await session.signIn(email: "bob@example.org", password: "PasswordOf bob") })
            ])
        }
    }

    @Test("An anonymous person posts, and keeps the id with a password")
    func anonymous() async throws {
        try await ServiceProcess.run(["--sign-up", "email anonymous"]) { service in
            try await service.addUser("bob")
            let client = Phones.client(service)
            let account = try await client.session.signInAnonymously()
            #expect(account.isAnonymous && account.email == nil)
            let post = try await client.post(text: "Hello")
            #expect(post.author.id == account.id)
            await check([
                (.emailExists, { try await client.session.addPassword(email: "bob@example.org", password: "secret") })
            ])
            let kept = try await client.session.addPassword(email: "ann@example.org", password: "secret", name: "Ann")
            #expect(kept == Account(id: account.id, email: "ann@example.org"))
            #expect(try await client.session.state == .signedIn(kept))
        }
    }

    @Test("Codes of messages sign in, verify an address, change it, and set a password")
    func codes() async throws {
        try await ServiceProcess.run(["--account-command", "/bin/true"]) { service in
            try await service.addUser("ann")
            let admin = try Admin(service, key: try await service.command(["key", "add", "test"]))
            let session = Phones.client(service).session
            let page = try #require(URL(string: "http://localhost/app"))
            try await session.sendSignInLink(to: "new@example.org", continueURL: page)
            let link = try await admin.code("EMAIL_SIGNIN", for: "new@example.org")
            let url = try #require(URL(string: "https://x.example/app?mode=signIn&oobCode=\(link)"))
            let new = try await session.signIn(email: "new@example.org", link: url)
            #expect(try await session.accountDetails().isEmailVerified && new.email == "new@example.org")

            try await session.sendPasswordReset(to: "ann@example.org")
            let reset = try await admin.code("PASSWORD_RESET", for: "ann@example.org")
            try await session.resetPassword(code: reset, to: "battery staple")
            try await session.signIn(email: "ann@example.org", password: "battery staple")

            try await session.sendEmailVerification()
            let verification = try await admin.code("VERIFY_EMAIL", for: "ann@example.org")
            try await session.applyCode(verification)
            try await session.sendEmailChange(to: "lee@example.org")
            let change = try await admin.code("VERIFY_AND_CHANGE_EMAIL", for: "ann@example.org", to: "lee@example.org")
            try await session.applyCode(change)
            #expect(try await session.signIn(email: "lee@example.org", password: "battery staple").id == "ann")

            let again = try await admin.code("EMAIL_SIGNIN", for: "new@example.org")
            let noCode = try #require(URL(string: "https://x.example/app"))
            let elsewhere = try #require(URL(string: "https://x.example/"))
            await check([
                (.invalidCode, { try await session.signIn(email: "new@example.org", code: "wrong") }),
                (.invalidCode, { try await session.signIn(email: "new@example.org", link: noCode) }),
                (.invalidEmail, { try await session.signIn(email: "other@example.org", code: again) }),
                (.invalidCode, { try await session.resetPassword(code: reset, to: "another one") }),
                (.invalidCode, { try await session.applyCode(verification) }),
                (
                    "UNAUTHORIZED_DOMAIN",
                    { try await session.sendSignInLink(to: "a@b.example", continueURL: elsewhere) }
                ),
            ])
            #expect(try await session.state == .signedIn(Account(id: "ann", email: "lee@example.org")))
        }
    }

    @Test("A child enters a class by its code, and comes back with the same picture")
    func classCode() async throws {
        try await Phones.run { phones in
            _ = try await phones.ann.createAudience("7b", name: "7b", kind: .schoolClass)
            let output = try await phones.service.command([
                "invite", "add", "--code", "--audience", "7b", "--no-address", "--json",
            ])
            let code = try JSONDecoder().decode(JSONValue.self, from: Data(output.utf8))["code"]?.string ?? ""
            #expect(try await phones.stranger.invitationPurpose(code).value.needsEmail == false)
            let child = phones.stranger
            let account = try await child.session.signIn(classCode: code, name: "Mia", picture: .fish, isNew: true)
            #expect(account.email == nil && !account.isAnonymous)
            #expect(try await child.audiences().value.elements.map(\.id) == ["7b"])
            let tablet = phones.stranger.session
            #expect(try await tablet.signIn(classCode: code, name: "mia", picture: .fish) == account)
            let guest = phones.stranger.session
            await check([
                (.nameExists, { try await guest.signIn(classCode: code, name: "MIA", picture: .sun, isNew: true) }),
                (.invalidCredentials, { try await guest.signIn(classCode: code, name: "Mia", picture: .sun) }),
                (.invitationNotFound, { try await guest.signIn(classCode: "AAAA-AAAA", name: "Mia", picture: .fish) }),
            ])
        }
    }

    @Test("Custom tokens and invitations let people in")
    func customTokensAndInvitations() async throws {
        try await ServiceProcess.run(["--sign-up", "invitation"]) { service in
            let session = Phones.client(service).session
            let token = try await service.command(["user", "token", "robot", "--custom"])
            let robot = try await session.signIn(customToken: token.trimmingCharacters(in: .whitespacesAndNewlines))
            #expect(robot.id == "robot" && !robot.isAnonymous)
            let output = try await service.command(["invite", "add", "--json"])
            let code = try JSONDecoder().decode(JSONValue.self, from: Data(output.utf8))["code"]?.string ?? ""
            await check([
                (.invalidCustomToken, { try await session.signIn(customToken: "a.b.c") }),
                (.operationNotAllowed, { try await session.signUp(email: "ann@example.org", password: "secret") }),
                (
                    .invitationNotFound,
                    {
                        try await session.signUp(email: "ann@example.org", password: "secret", invitation: "AAAA-AAAA")
                    }
                ),
            ])
            try await session.signUp(email: "ann@example.org", password: "secret", invitation: code)
            await check([
                (
                    .invitationUsedUp,
                    {
                        try await session.signUp(email: "bob@example.org", password: "secret", invitation: code)
                    }
                )
            ])
        }
    }

    @Test("A token of another issuer signs in, and is added to an account")
    func provider() async throws {
        try await ServiceProcess.run(["--namespace", "other"]) { issuer in
            try await issuer.addUser("ann")
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("issuers-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: file) }
            let keys = try await URLSessionTransport().response(
                to: TransportRequest("GET", issuer.address.appendingPathComponent(".well-known/jwks.json")))
            try keys.body.write(to: file.appendingPathComponent("keys.json"))
            let entry = """
                [{"issuer":"https://securetoken.google.com/other","audiences":["other"],"keys":"keys.json",
                  "provider":"oidc.other","uid-prefix":"o-"}]
                """
            let issuers = file.appendingPathComponent("issuers.json")
            try Data(entry.utf8).write(to: issuers)
            let output = try await issuer.command(["user", "token", "ann"])
            let token = output.trimmingCharacters(in: .whitespacesAndNewlines)
            try await ServiceProcess.run(["--issuers", issuers.path]) { service in
                try await service.addUser("bob")
                let session = Phones.client(service).session
                let account = try await session.signIn(provider: "oidc.other", idToken: token)
                #expect(try await session.accountDetails().providers == ["oidc.other"])
                #expect(try await session.signIn(provider: "oidc.other", idToken: token) == account)
                try await session.signIn(email: "bob@example.org", password: "PasswordOf bob")
                await check([
                    (.alreadyLinked, { try await session.addProvider("oidc.other", idToken: token) }),
                    (.invalidProviderToken, { try await session.signIn(provider: "oidc.other", idToken: "a.b.c") }),
                    (.operationNotAllowed, { try await session.signIn(provider: "oidc.none", idToken: token) }),
                ])
                try await session.signIn(provider: "oidc.other", idToken: token)
                try await session.deleteAccount()
                try await session.signIn(email: "bob@example.org", password: "PasswordOf bob")
                #expect(try await session.addProvider("oidc.other", idToken: token).id == "bob")
                #expect(try await Set(session.accountDetails().providers) == ["oidc.other", "password"])
            }
        }
    }

    /// Calls what the service refuses, and compares the codes.
    private func check(_ refusals: [(Problem.Code, () async throws -> Any)]) async {
        for (code, call) in refusals {
            do {
                _ = try await call()
                Issue.record("\(code.rawValue) was expected")
            } catch let problem as Problem {
                #expect(problem.code == code, "\(problem)")
            } catch {
                Issue.record(error, "\(code.rawValue) was expected")
            }
        }
    }
}

/// The requests of an admin, by which the test gets the codes that people get by e-mail.
private struct Admin {
    let service: ServiceProcess
    let key: String

    init(_ service: ServiceProcess, key output: String) throws {
        self.service = service
        key = try #require(output.firstMatch(of: /tintype_\S+/).map { String($0.output) })
    }

    func code(_ kind: String, for email: String, to newEmail: String? = nil) async throws -> String {
        let url = service.address.appendingPathComponent("identitytoolkit.googleapis.com/v1/accounts:sendOobCode")
        var fields: [String: JSONValue] = [
            "requestType": .string(kind), "email": .string(email), "returnOobLink": true,
        ]
        fields["newEmail"] = newEmail.map(JSONValue.string)
        let request = TransportRequest(
            "POST", url, headers: ["Authorization": "Bearer \(key)", "Content-Type": "application/json"],
            body: .data(try JSONEncoder().encode(JSONValue.object(fields))))
        let answer = try JSONDecoder().decode(
            JSONValue.self, from: try await URLSessionTransport().response(to: request).body)
        return try #require(answer["oobCode"]?.string)
    }
}
