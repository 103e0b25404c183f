import Model
import Testing
import Tree
import TreeModel

@testable import Accounts

/// Invitations, from their making to their use.
@Suite(.timeLimit(.minutes(20))) struct InvitationTests {
    @Test("A closed service lets nobody in without an invitation, and with it one person, who joins its audience")
    func invited() async throws {
        try await withClosedService { fixture in
            let closed = "OPERATION_NOT_ALLOWED : An invitation is required"
            for none in [nil, ""] { #expect(await fixture.signUp("ann@example.com", with: none) == closed) }
            var order = InvitationOrder()
            (order.audience, order.role) = (AudienceID("7b"), .poster)
            let code = try await fixture.invite(order)
            #expect(await fixture.signUp("ann@example.com", with: code) == "done")
            let ann = try await fixture.signIn("ann@example.com")
            #expect(
                try await fixture.tree.get(AudienceNodes.member() / "7b" / "members" / TreeKey(ann.uid)) == "poster")
            #expect(await fixture.signUp("bob@example.com", with: code) == "INVITATION_USED_UP")
            #expect(try await fixture.store.count() == 1)
        }
    }

    @Test("A sign-up that fails uses nothing up")
    func failing() async throws {
        try await withClosedService { fixture in
            let code = try await fixture.invite()
            let weak: JSONValue = ["email": "ann@example.com", "password": "abc", "invitation": .string(code)]
            #expect(await fixture.refusal(.signUp, weak).hasPrefix("WEAK_PASSWORD"))
            try await fixture.perform(.create, ["email": "bob@example.com"], by: Fixture.admin)
            #expect(await fixture.signUp("bob@example.com", with: code) == "EMAIL_EXISTS")
            #expect(await fixture.signUp("ann@example.com", with: code) == "done")
        }
    }

    @Test("No more people get in than an invitation has uses, however many come at once", arguments: [1, 3, 10])
    func concurrency(uses: Int) async throws {
        try await withClosedService { fixture in
            var order = InvitationOrder()
            (order.audience, order.uses) = (AudienceID("7b"), uses)
            let code = try await fixture.invite(order)
            let outcomes = await withTaskGroup(of: String.self) { tasks in
                for index in 0..<16 {
                    let caller = IdentityCaller(address: "192.0.2.\(index)")
                    tasks.addTask { await fixture.signUp("p\(index)@example.com", with: code, by: caller) }
                }
                return await tasks.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == ["done": uses, "INVITATION_USED_UP": 16 - uses])
            #expect(try await fixture.store.count() == uses)
            let members = try await fixture.tree.keys(of: AudienceNodes.audience() / "7b" / "members")
            #expect(members.count == uses + 1)
            let listed = try await fixture.service.invitations.page(for: .admin(nil), limit: 10).invitations
            #expect(listed.map(\.uses) == [uses])
        }
    }

    @Test("Each way in which an invitation does not work has an error of its own, before a password is hashed")
    func refused() async throws {
        // The hasher of this test alone, whose hashes are counted.
        try await withClosedService(passwords: PasswordHasher(atATime: 1)) { fixture in
            func outcome(_ code: String) async -> String { await fixture.signUp("ann@example.com", with: code) }
            let code = try await fixture.invite()
            for wrong in [
                "x", "K7QM-2XRT", String(code.reversed()), "https://photos.example/join#", "https://photos.example",
                "://", String(repeating: "a", count: 2048),
            ] {
                #expect(await outcome(wrong) == "INVITATION_NOT_FOUND", "\(wrong)")
            }
            for elsewhere in ["https://other.example/join#\(code)", "http://photos.example/join/\(code)"] {
                #expect(await outcome(elsewhere) == "INVITATION_OF_ANOTHER_SERVICE", "\(elsewhere)")
            }
            let invitations = fixture.service.invitations
            let made = try await invitations.page(for: .admin(nil), limit: 1).invitations
            _ = try await invitations.withdraw(try #require(made.first?.id), by: .admin(nil))
            #expect(await outcome(code) == "INVITATION_WITHDRAWN")
            let other = try await fixture.invite()
            fixture.clock.advance(seconds: 7 * 86_400)
            #expect(await outcome(other) == "INVITATION_EXPIRED")
            #expect(fixture.passwords.count == 0)
            #expect(try await fixture.store.count() == 0)
        }
    }

    @Test("A code is read as people type it, and out of a link", arguments: [true, false])
    func typed(isShort: Bool) async throws {
        try await withClosedService { fixture in
            var order = InvitationOrder()
            (order.isShort, order.uses) = (isShort, 10)
            let code = try await fixture.invite(order)
            var forms = [
                code, " \(code)\n", "https://photos.example/join#\(code)", "https://Photos.example/join/\(code)",
            ]
            if isShort {
                #expect(code.count == 9 && !code.contains { "01ILO".contains($0) })
                forms += [code.lowercased(), code.replacing("-", with: ""), code.replacing("-", with: " ")]
            } else {
                #expect(code.utf8.count == 24)
            }
            for form in forms {
                let purpose = try await fixture.service.invitations.check(form, from: nil)
                #expect(purpose.admits && purpose.invitation.uses == 0, "\(form)")
            }
        }
    }

    @Test("The code of a link is stored as a hash only, a short one as it is; both are shown once or again accordingly")
    func stored() async throws {
        try await withClosedService { fixture in
            let link = try await fixture.invite()
            var order = InvitationOrder()
            order.isShort = true
            let short = try await fixture.invite(order)
            let shown = try await fixture.service.invitations.page(for: .admin(nil), limit: 10).invitations
            #expect(Set(shown.map(\.shownCode)) == [nil, short])
            let stored = try await fixture.tree.get(TreePath([], in: .accounts))
            #expect(!"\(String(describing: stored))".contains(link))
            #expect("\(shown)".contains(link) == false)
        }
    }

    @Test("Guesses of codes are throttled by address, and those of short codes in all")
    func throttled() async throws {
        var limits = ThrottleLimits()
        limits.invitationsFromAddress = RateLimit(burst: 3, interval: 60)
        limits.shortInvitations = RateLimit(burst: 5, interval: 60)
        try await withClosedService(limits: limits) { fixture in
            let code = try await fixture.invite()
            let invitations = fixture.service.invitations
            for _ in 0..<10 { _ = try await invitations.check(code, from: "a") }
            func outcomes(_ text: String, from address: String, _ count: Int) async -> [String] {
                var outcomes: [String] = []
                for _ in 0..<count {
                    do throws(IdentityError) {
                        _ = try await invitations.check(text, from: address)
                        outcomes.append("done")
                    } catch {
                        outcomes.append(error.code)
                    }
                }
                return outcomes
            }
            let (wrong, late) = ("INVITATION_NOT_FOUND", "TOO_MANY_ATTEMPTS_TRY_LATER")
            #expect(await outcomes("K7QM-2XRT", from: "a", 4) == [wrong, wrong, wrong, late])
            #expect(await outcomes("K7QM-2XRT", from: "b", 3) == [wrong, wrong, late], "five of all addresses")
            #expect(await outcomes(code, from: "c", 1) == ["done"], "links are not affected")
            fixture.clock.advance(seconds: 60)
            #expect(await outcomes("K7QM-2XRT", from: "a", 2) == [wrong, late])
        }
    }

    @Test("A signed-in person joins an audience; a repetition, and a lower role, use nothing up")
    func joining() async throws {
        try await withClosedService { fixture in
            try await fixture.perform(.create, ["localId": "ann"], by: Fixture.admin)
            let (ann, seven) = (try #require(UserID("ann")), try #require(AudienceID("7b")))
            var order = InvitationOrder()
            (order.audience, order.role, order.uses) = (seven, .poster, 2)
            let code = try await fixture.invite(order)
            order.role = .reader
            let lower = try await fixture.invite(order)
            let invitations = fixture.service.invitations
            #expect(try await invitations.use(code, for: ann, from: "a").isUsed)
            #expect(try await !invitations.use(code, for: ann, from: "a").isUsed)
            #expect(try await !invitations.use(lower, for: ann, from: "a").isUsed)
            #expect(try await fixture.tree.get(AudienceNodes.member(seven) / "ann") == "poster")
            #expect(try await invitations.page(for: .admin(nil), limit: 9).invitations.map(\.uses).sorted() == [0, 1])
            try await fixture.tree.set(AudienceNodes.audience(seven), to: nil)
            let bob = try #require(UserID("bob"))
            await #expect(throws: IdentityError.invitationWithdrawn) {
                try await invitations.use(code, for: bob, from: "a")
            }
        }
    }

    @Test("An invitation of an admin makes an admin; nobody else can make such a one")
    func admins() async throws {
        try await withClosedService { fixture in
            var order = InvitationOrder()
            order.grantsAdmin = true
            let code = try await fixture.invite(order)
            #expect(await fixture.signUp("ann@example.com", with: code) == "done")
            #expect(try fixture.claims(try await fixture.signIn("ann@example.com"))["admin"] == true)
            let tea = InvitationMaker.person(try #require(UserID("tea")))
            order.audience = AudienceID("7b")
            await #expect(throws: IdentityError.insufficientPermission) {
                try await fixture.service.invitations.add(order, by: tea)
            }
        }
    }
}
