import API
import Foundation

/// A person or an account, with what an argument may name it by.
struct KnownPerson: Sendable {
    let uid: String
    var name: String?
    var email: String?

    init(_ user: UserDocument) {
        (uid, name, email) = (user.uid, user.name, user.email)
    }

    init(_ person: PersonDocument) {
        (uid, name) = (person.uid, person.fullName)
    }

    /// The name and the address, or the name and the id; printable.
    var words: String {
        guard let name, !name.isEmpty else { return (email ?? uid).printable }
        return (name == uid ? uid : "\(name) (\(email ?? uid))").printable
    }

    /// Whether the whole name is a text, apart from case and accents.
    func isNamed(_ text: String) -> Bool { name.map { $0.folded == text.folded } ?? false }

    /// The number of changes from a text to the nearest of the id, the address, the name and their words; nil if it is
    /// too large for a mistake in typing.
    fileprivate func distance(to text: String) -> Int? {
        let words = (name ?? "").split(separator: " ").map(String.init)
        let local = email.flatMap { $0.split(separator: "@").first.map(String.init) }
        let distances = ([uid, name, email, local].compactMap(\.self) + words).filter { !$0.isEmpty }.map {
            Spelling.distance($0.folded, text.folded)
        }
        return distances.min().flatMap { $0 <= max(1, text.count / 3) ? $0 : nil }
    }
}

extension [KnownPerson] {
    /// The largest number of suggestions.
    private static let maxSuggestions = 3

    /// Returns a question with the nearest to a text, such as "did you mean Ann Lee (ann@example.com)?"; nil for none.
    func suggestion(for text: String) -> String? {
        // The distance of long texts is expensive, and says nothing.
        guard text.count <= 100 else { return nil }
        let near = compactMap { person in person.distance(to: text).map { (person, $0) } }
        guard let best = near.map(\.1).min() else { return nil }
        let names = near.filter { $0.1 == best }.map(\.0.words).sorted().prefix(Self.maxSuggestions)
        return "did you mean \(names.joined(separator: " or "))?"
    }

    /// Returns the only one; nil if there is none.
    ///
    /// - Throws: `Failure` with the code `bad_user` if there are several.
    func only(named text: String) throws(Failure) -> KnownPerson? {
        guard count > 1 else { return first }
        let some = prefix(5).map { ($0.email ?? $0.uid).printable }.joined(separator: ", ")
        throw Failure(
            .badUser, "\"\(text.prefix(80))\" is the name of \(count): \(some)\(count > 5 ? ", …" : "")",
            hint: "Give an address or an id.")
    }
}

extension String {
    /// The text without differences of case and accents.
    var folded: String { folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil) }
}
