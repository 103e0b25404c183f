import Access
import Model
import Testing
import Tree
import TreeModel

@testable import Accounts

/// The ways into a closed service besides a sign-up with an invitation.
@Suite(.timeLimit(.minutes(20))) struct ClosedServiceTests {
    private static let required = "OPERATION_NOT_ALLOWED : An invitation is required"

    /// Accepts the JSON written by a test as the claims of a provider's token, as if they were signed.
    private static func believe(_ provider: String) -> IdentityProofs.Verification? {
        { (token: String) async throws(AccessError) -> [String: JSONValue] in
            guard let claims = JSONValue(text: token.utf8)?.members else { throw .badToken(.malformed) }
            return claims
        }
    }

    private static func request(_ provider: String, invitation: String? = nil, idToken: String? = nil) -> JSONValue {
        var body: JSONValue = [
            "postBody": .string("id_token=%7B%22sub%22%3A%221001%22%7D&providerId=\(provider)"),
            "requestUri": "http://localhost",
        ]
        body["invitation"] = invitation.map(JSONValue.string)
        body["idToken"] = idToken.map(JSONValue.string)
        return body
    }

    @Test(
        "A stranger from a public provider needs an invitation once; the people of the operator's providers need none")
    func providers() async throws {
        try await withClosedService(provider: Self.believe) { fixture in
            for name in ["google.com", "apple.com", "facebook.com", "microsoft.com"] {
                #expect(await fixture.refusal(.signInWithIdp, Self.request(name)) == Self.required, "\(name)")
            }
            let code = try await fixture.invite()
            let invited = Self.request("google.com", invitation: code)
            #expect(await fixture.refusal(.signInWithIdp, invited) == "done")
            #expect(await fixture.refusal(.signInWithIdp, Self.request("google.com")) == "done", "by now a member")
            #expect(await fixture.refusal(.signInWithIdp, Self.request("oidc.id.example")) == "done")
            #expect(try await fixture.store.count() == 2)
        }
    }

    @Test("An anonymous account becomes no member without an invitation, whichever way it tries")
    func anonymous() async throws {
        try await withClosedService(provider: Self.believe, settings: { $0.signUp.insert(.anonymous) }) { fixture in
            let app = try await fixture.signUpAnonymously()
            let token = JSONValue.string(app.idToken)
            let link: JSONValue = ["idToken": token, "email": "ann@example.com", "password": "sesame!"]
            let ways: [(IdentityOperation, JSONValue)] = [
                (.signUp, link), (.update, link), (.update, ["idToken": token, "password": "sesame!"]),
                (.signInWithIdp, Self.request("google.com", idToken: app.idToken)),
            ]
            for (operation, body) in ways {
                #expect(await fixture.refusal(operation, body) == Self.required, "\(operation)")
            }
            var invited = link
            invited["invitation"] = .string(try await fixture.invite())
            #expect(await fixture.refusal(.signUp, invited) == "done")
            #expect(try await fixture.signIn().uid == app.uid)
        }
    }

    @Test("Another choice holds from the next request on, in both directions, also for people who came in before")
    func adopted() async throws {
        try await withClosedService(provider: Self.believe, settings: { $0.signUp = .all }) { fixture in
            let guest = JSONValue.string(try await fixture.signUpAnonymously().idToken)
            let strangers: [(IdentityOperation, JSONValue)] = [
                (.signUp, ["email": "ann@example.com", "password": "sesame!"]), (.signUp, [:]),
                (.signUp, ["idToken": guest, "email": "bob@example.com", "password": "sesame!"]),
                (.update, ["idToken": guest, "email": "bob@example.com", "password": "sesame!"]),
                (.signInWithIdp, Self.request("google.com")),
            ]
            let requests = fixture.service.joinRequests
            let code = try await fixture.invite()
            let rows: [(ways: SignUpMethods, refusal: String)] = [
                (.invitation, Self.required), ([.invitation, .request], Self.required), ([], "OPERATION_NOT_ALLOWED"),
            ]
            for row in rows {
                fixture.service.adopt(row.ways)
                #expect(fixture.service.signUp == row.ways)
                for (operation, body) in strangers {
                    let refusal = await fixture.refusal(operation, body)
                    let expected = body.members?.isEmpty == true ? "ADMIN_ONLY_OPERATION" : row.refusal
                    #expect(refusal == expected, "\(row.ways.text): \(operation) \(body)")
                }
                #expect(requests.areTaken == row.ways.contains(.request))
                let isAdmitted = try await fixture.service.invitations.check(code, from: nil).admits
                #expect(isAdmitted == row.ways.contains(.invitation))
            }
            #expect(await fixture.signUp("eve@example.com", with: code) == "OPERATION_NOT_ALLOWED")
            fixture.service.adopt(.invitation)
            #expect(await fixture.signUp("eve@example.com", with: code) == "done")
            fixture.service.adopt(.all)
            for (operation, body) in strangers where operation != .update {
                #expect(await fixture.refusal(operation, body) == "done", "\(operation) \(body)")
            }
        }
    }

    @Test(
        "A member without an address adds one with a password by either way, also where nobody may sign up",
        arguments: [IdentityOperation.signUp, .update])
    func memberWithoutAddress(operation: IdentityOperation) async throws {
        try await withClosedService(settings: { $0.signUp = [] }) { fixture in
            let issued = try fixture.authority.issueCustomToken(uid: "u1", claims: [:])
            let app = SignedInApp(try await fixture.perform(.signInWithCustomToken, ["token": .string(issued)]))
            let change: JSONValue = [
                "idToken": .string(app.idToken), "email": "ann@example.com", "password": "sesame!",
            ]
            #expect(await fixture.refusal(operation, change) == "done")
        }
    }

    @Test("A link by e-mail creates an account only with an invitation, and only for its address")
    func emailLink() async throws {
        try await withClosedService { fixture in
            var order = InvitationOrder()
            order.email = EmailAddress("ann@example.com")
            let code = try await fixture.invite(order)
            func enter(_ email: String, _ invitation: String?) async throws -> String {
                try await fixture.perform(
                    .sendOobCode, ["requestType": "EMAIL_SIGNIN", "email": .string(email)], by: Fixture.admin)
                await fixture.service.drain()
                let sent = try #require(fixture.messages.all.last?.code)
                var body: JSONValue = ["email": .string(email), "oobCode": .string(sent)]
                body["invitation"] = invitation.map(JSONValue.string)
                return await fixture.refusal(.signInWithEmailLink, body)
            }
            #expect(try await enter("ann@example.com", nil) == Self.required)
            #expect(try await enter("bob@example.com", code) == "INVITATION_OF_ANOTHER_ADDRESS")
            #expect(try await enter("ann@example.com", code) == "done")
            #expect(try await enter("ann@example.com", nil) == "done", "by now a member")
        }
    }

    @Test(
        "With sign-up for nobody an invitation helps nobody; with sign-up for everybody it still leads to its audience")
    func otherSettings() async throws {
        try await withClosedService(settings: { $0.signUp = [] }) { fixture in
            let code = try await fixture.invite()
            for code in [code, "", nil] {
                #expect(await fixture.signUp("ann@example.com", with: code) == "OPERATION_NOT_ALLOWED")
            }
        }
        try await withClosedService(settings: { $0.signUp = [.email, .invitation] }) { fixture in
            var order = InvitationOrder()
            order.audience = AudienceID("7b")
            let code = try await fixture.invite(order)
            #expect(await fixture.signUp("ann@example.com", with: code) == "done")
            #expect(await fixture.signUp("bob@example.com", with: nil) == "done")
            #expect(try await fixture.tree.keys(of: AudienceNodes.audience() / "7b" / "members").count == 2)
        }
    }

    @Test("Requests to join are taken where the operator allows it, throttled by address, and sent an invitation")
    func requests() async throws {
        try await withClosedService { fixture in
            await #expect(throws: IdentityError.operationNotAllowed) {
                try await fixture.service.joinRequests.add(name: "A", email: "a@example.com", text: "", from: nil)
            }
        }
        var limits = ThrottleLimits()
        limits.joinRequestsFromAddress = RateLimit(burst: 2, interval: 60)
        try await withClosedService(limits: limits, settings: { $0.signUp.insert(.request) }) { fixture in
            let requests = fixture.service.joinRequests
            for name in ["ann", "bob"] {
                try await requests.add(name: name, email: "\(name)@example.com", text: "Hi", from: "192.0.2.1")
            }
            await #expect(throws: IdentityError.tooManyAttempts(retryAfterSeconds: 60)) {
                try await requests.add(name: "eve", email: "eve@example.com", text: "", from: "192.0.2.1")
            }
            let ann = try #require(try await requests.list().first { $0.name == "ann" })
            let (invitation, code, isSent) = try await requests.approve(ann.id, InvitationOrder(), by: .admin(nil))
            #expect(isSent && invitation.email == ann.email)
            await fixture.service.drain()
            let message = try #require(fixture.messages.all.last)
            #expect(message.kind == "INVITATION" && message.email == "ann@example.com")
            #expect(message.link == "https://photos.example/join#\(code.shown)")
            await #expect(throws: IdentityError("JOIN_REQUEST_NOT_FOUND", status: 404)) {
                try await requests.approve(ann.id, InvitationOrder(), by: .admin(nil))
            }
            #expect(try await requests.list().map(\.name) == ["bob"])
            fixture.clock.advance(seconds: 60 * 86_400)
            try await AccountSweeper(of: fixture.store).sweep()
            #expect(try await requests.list().isEmpty)
        }
    }

    @Test("A child signs in again when the code has no uses left, but not when it was withdrawn; guesses are throttled")
    func children() async throws {
        var limits = ThrottleLimits()
        limits.picturesOfName = RateLimit(burst: 3, interval: 600)
        try await withClosedService(limits: limits) { fixture in
            var order = InvitationOrder()
            (order.audience, order.isShort, order.isWithoutAddress, order.uses) = (AudienceID("7b"), true, true, 1)
            let code = try await fixture.invite(order)
            func enter(_ name: String, _ picture: String, isNew: Bool = false) async -> String {
                await fixture.refusal(
                    .signInWithClassCode,
                    [
                        "invitation": .string(code), "displayName": .string(name), "picture": .string(picture),
                        "isNew": .bool(isNew),
                    ])
            }
            #expect(await fixture.signUp("ann@example.com", with: code) == "INVITATION_WITHOUT_ADDRESS")
            #expect(await enter("Mia", "unicorn", isNew: true).hasPrefix("INVALID_ARGUMENT"))
            #expect(await enter("\n", "fish", isNew: true).hasPrefix("INVALID_NAME"))
            #expect(await enter("Mia", "fish", isNew: true) == "done")
            #expect(await enter("Ben", "fish", isNew: true) == "INVITATION_USED_UP")
            #expect(await enter(" MIA", "fish") == "done")
            #expect(await enter("Ben", "fish") == "INVALID_LOGIN_CREDENTIALS", "as for a wrong picture")
            for _ in 0..<3 { #expect(await enter("Mia", "sun") == "INVALID_LOGIN_CREDENTIALS") }
            #expect(await enter("Mia", "fish").hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER"))
            fixture.clock.advance(seconds: 600)
            #expect(await enter("Mia", "fish") == "done")
            let made = try await fixture.service.invitations.page(for: .admin(nil), limit: 1).invitations
            _ = try await fixture.service.invitations.withdraw(try #require(made.first?.id), by: .admin(nil))
            #expect(await enter("Mia", "fish") == "INVITATION_WITHDRAWN")
        }
    }

    @Test("A picture does not suffice to give an account an address, a password or another child's name")
    func pictureAlone() async throws {
        try await withClosedService { fixture in
            var order = InvitationOrder()
            (order.audience, order.isShort, order.isWithoutAddress) = (AudienceID("7b"), true, true)
            let code = try await fixture.invite(order)
            func child(_ name: String) -> JSONValue {
                ["invitation": .string(code), "displayName": .string(name), "picture": "fish", "isNew": true]
            }
            let mia = SignedInApp(try await fixture.perform(.signInWithClassCode, child("Mia")))
            for name in ["mia", "Mi\u{200B}a", "M\u{AD}ia", "Mia\u{202E}"] {
                #expect(await fixture.refusal(.signInWithClassCode, child(name)) == "NAME_EXISTS")
            }
            let token = JSONValue.string(mia.idToken)
            let changes: [(IdentityOperation, JSONValue)] = [
                (.update, ["idToken": token, "email": "eve@example.com"]),
                (.update, ["idToken": token, "password": "sesame!"]),
                (.update, ["idToken": token, "deleteProvider": ["code"]]),
                (.signUp, ["idToken": token, "email": "eve@example.com", "password": "sesame!"]),
            ]
            for (operation, body) in changes {
                let refusal = await fixture.refusal(operation, body)
                #expect(refusal == "OPERATION_NOT_ALLOWED : A picture does not suffice for this", "\(body)")
            }
            #expect(await fixture.refusal(.update, ["idToken": token, "displayName": "Mia B."]) == "done")
        }
    }
}
