import Model
import Testing
import Tree
import TreeModel

@testable import Accounts

/// The makers of invitations, their lists, and the end of invitations.
@Suite(.timeLimit(.minutes(20))) struct InvitationListTests {
    @Test("Owners invite to their own audiences, see these invitations alone, and not too many of them")
    func owners() async throws {
        try await withClosedService { fixture in
            let invitations = fixture.service.invitations
            let (tea, eve) = (try #require(UserID("tea")), try #require(UserID("eve")))
            _ = try await fixture.invite()
            var order = InvitationOrder()
            await #expect(throws: IdentityError.insufficientPermission) {
                try await invitations.add(order, by: .person(tea))
            }
            (order.audience, order.role) = (AudienceID("7b"), .owner)
            await #expect(throws: IdentityError.notOwner) { try await invitations.add(order, by: .person(eve)) }
            let made = try await invitations.add(order, by: .person(tea)).invitation
            #expect(try await invitations.page(for: .person(tea), limit: 9).invitations == [made])
            #expect(try await invitations.page(for: .person(eve), limit: 9).invitations.isEmpty)
            #expect(try await invitations.page(for: .admin(nil), limit: 9).invitations.count == 2)
            await #expect(throws: IdentityError.invitationNotFound) {
                try await invitations.withdraw(made.id, by: .person(eve))
            }
            for _ in 1..<50 { _ = try await invitations.add(order, by: .person(tea)) }
            await #expect(throws: IdentityError.tooManyInvitations) {
                try await invitations.add(order, by: .person(tea))
            }
            _ = try await invitations.withdraw(made.id, by: .person(tea))
            let later = try await invitations.add(order, by: .person(tea)).invitation
            let ids = try await invitations.page(for: .person(tea), limit: 100).invitations.map(\.id)
            #expect(ids.count == 50 && ids.contains(later.id) && !ids.contains(made.id), "an ended one makes room")
        }
    }

    @Test("Pages list the newest first, and all of them")
    func pages() async throws {
        try await withClosedService { fixture in
            for _ in 0..<5 {
                _ = try await fixture.invite()
                fixture.clock.advance(seconds: 1)
            }
            var (ids, cursor): ([String], String?) = ([], nil)
            repeat {
                let page = try await fixture.service.invitations.page(for: .admin(nil), after: cursor, limit: 2)
                ids += page.invitations.map(\.id)
                cursor = page.next
            } while cursor != nil
            #expect(ids.count == 5 && ids == ids.sorted(by: >))
        }
    }

    static let faults: [(change: @Sendable (inout InvitationOrder) -> Void, words: String)] = [
        ({ $0.uses = 0 }, "uses"), ({ $0.uses = 5001 }, "uses"), ({ $0.days = 0 }, "days"), ({ $0.days = 366 }, "days"),
        ({ $0.role = .reader }, "audience"), ({ ($0.isShort, $0.grantsAdmin) = (true, true) }, "guessed"),
        ({ $0.isWithoutAddress = true }, "audience"),
        ({ ($0.isWithoutAddress, $0.audience) = (true, AudienceID("7b")) }, "short code"),
        (
            { ($0.isWithoutAddress, $0.isShort, $0.audience, $0.role) = (true, true, AudienceID("7b"), .owner) },
            "owners"
        ),
    ]

    @Test("An order whose parts do not fit together is refused", arguments: faults.indices)
    func faulty(index: Int) async throws {
        try await withClosedService { fixture in
            var order = InvitationOrder()
            Self.faults[index].change(&order)
            do throws(IdentityError) {
                _ = try await fixture.service.invitations.add(order, by: .admin(nil))
                Issue.record("it was made")
            } catch {
                #expect(error.code == "INVALID_ARGUMENT" && error.message.contains(Self.faults[index].words))
            }
        }
    }

    @Test("An invitation is kept for a month after its end, and then deleted with its code")
    func swept() async throws {
        try await withClosedService { fixture in
            let code = try await fixture.invite()
            let sweeper = AccountSweeper(of: fixture.store)
            fixture.clock.advance(seconds: 36 * 86_400)
            #expect(try await sweeper.sweep() == 0)
            #expect(await fixture.signUp("ann@example.com", with: code) == "INVITATION_EXPIRED")
            fixture.clock.advance(seconds: 2 * 86_400)
            #expect(try await sweeper.sweep() == 1)
            #expect(try await fixture.leftovers.isEmpty)
        }
    }
}
