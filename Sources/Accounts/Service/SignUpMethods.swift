/// The ways in which people may make an account.
package struct SignUpMethods: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    /// With an e-mail address and a password.
    package static let email = SignUpMethods(rawValue: 1)
    /// Without saying who they are.
    package static let anonymous = SignUpMethods(rawValue: 2)
    /// With an invitation.
    package static let invitation = SignUpMethods(rawValue: 4)
    /// A request for an invitation, which does not make an account by itself.
    package static let request = SignUpMethods(rawValue: 8)
    /// The ways that are open without a choice, as long as only this machine reaches the service.
    package static let all: SignUpMethods = [.email, .anonymous]

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The ways by their words.
    private static let words: [(word: String, way: SignUpMethods)] = [
        ("email", .email), ("anonymous", .anonymous), ("invitation", .invitation), ("request", .request),
    ]

    /// Reads `email`, `anonymous`, `invitation`, several of them with spaces between, `request` beside `invitation`, or
    /// `none`; nil for anything else.
    package init?(parsing text: String) {
        let words = text.split { $0 == " " || $0 == "," }
        guard !words.isEmpty else { return nil }
        self = []
        guard words != ["none"] else { return }
        for word in words {
            guard let way = Self.words.first(where: { $0.word == word })?.way else { return nil }
            insert(way)
        }
        // Without invitations, an approved request would lead nowhere.
        if contains(.request), !contains(.invitation) { return nil }
    }

    /// The text that is read as this.
    package var text: String {
        let words = Self.words.filter { contains($0.way) }.map(\.word)
        return words.isEmpty ? "none" : words.joined(separator: " ")
    }
}
