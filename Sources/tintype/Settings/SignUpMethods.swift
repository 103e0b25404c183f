/// The ways in which anybody may make an account.
struct SignUpMethods: OptionSet, Hashable, Sendable {
    let rawValue: Int

    /// With an e-mail address and a password.
    static let email = SignUpMethods(rawValue: 1)
    /// Without saying who they are.
    static let anonymous = SignUpMethods(rawValue: 2)
    static let all: SignUpMethods = [.email, .anonymous]

    init(rawValue: Int) { self.rawValue = rawValue }

    /// Reads `email`, `anonymous`, both with a space between, or `none`; nil for anything else.
    init?(parsing text: String) {
        let words = text.split { $0 == " " || $0 == "," }
        guard !words.isEmpty else { return nil }
        self = []
        guard words != ["none"] else { return }
        for word in words {
            switch word {
            case "email": insert(.email)
            case "anonymous": insert(.anonymous)
            default: return nil
            }
        }
    }

    /// The text that is read as this.
    var text: String {
        let words = [contains(.email) ? "email" : nil, contains(.anonymous) ? "anonymous" : nil].compactMap(\.self)
        return words.isEmpty ? "none" : words.joined(separator: " ")
    }
}
