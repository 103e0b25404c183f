import Model
import Tree
import TreeModel

@testable import Accounts

/// Runs a test's body with a service that only people with an invitation may join, and with the class `7b`, which
/// `tea` owns.
func withClosedService(
    limits: ThrottleLimits = ThrottleLimits(), passwords: PasswordHasher? = nil,
    provider: @escaping @Sendable (String) -> IdentityProofs.Verification? = { _ in nil },
    settings change: (inout IdentitySettings) -> Void = { _ in },
    _ body: (Fixture) async throws -> Void
) async throws {
    try await withAccounts(
        limits: limits, passwords: passwords, provider: provider,
        settings: { settings in
            settings.signUp = .invitation
            settings.origin = "https://photos.example"
            change(&settings)
        }
    ) { fixture in
        try await fixture.makeClass()
        try await body(fixture)
    }
}

extension Fixture {
    /// Creates the class `7b`, which `tea` owns.
    func makeClass() async throws {
        let members: TreeValue = ["tea": "owner"]
        try await tree.set(
            AudienceNodes.audience() / "7b", to: ["name": "Class 7b", "kind": "class", "members": members])
        try await tree.set(PeopleNodes.person() / "tea" / "full_name", to: "Tea Cher")
    }

    /// Makes an invitation as the owner of the service, and returns its code.
    func invite(_ order: InvitationOrder = InvitationOrder()) async throws -> String {
        try await service.invitations.add(order, by: .admin(nil)).code.shown
    }

    /// Signs up with an invitation; returns the error, or `done`.
    func signUp(_ email: String, with code: String?, by caller: IdentityCaller = app) async -> String {
        var body: JSONValue = ["email": .string(email), "password": "sesame!"]
        body["invitation"] = code.map(JSONValue.string)
        return await refusal(.signUp, body, by: caller)
    }
}
