import API
import HTTPTypes
import Model

/// The people and accounts that arguments name: by an id, an e-mail address, or the whole name of one person.
///
/// An id comes first, then an address, then a name. A text with "@" is never a name: people choose their names
/// themselves, and could choose somebody's address. An id that nobody has is returned as it is, with a note about those
/// who are named almost so: apps without accounts choose ids themselves, and the service decides what is possible with
/// an unknown one.
struct PersonFinder {
    /// The use of the id.
    enum Purpose {
        /// An action on a person or an account.
        case action
        /// A post or a profile, which makes a person of an unknown id. A text that can be an id is not a name: the ids of
        /// an app without accounts mean themselves, whatever people are called.
        case making
        /// A deletion without a question: names do not count, because a repeated command must not reach somebody else
        /// who has the name.
        case deletion
    }

    /// A person or an account that a text means.
    struct Match {
        let uid: String
        /// The sentence that says whom a name means; nil for an id or an address.
        fileprivate var note: String?

        /// Prints whom a name means.
        func tell() {
            if let note { Terminal.note(note) }
        }
    }

    /// The largest number of people who are read for a suggestion.
    private static let maxSuggested = 1000

    let service: APIClient

    /// Returns the id of the person or the account that a text names, and prints whom a name means.
    ///
    /// - Throws: `Failure` with the code `unknown_user` for a text that is no id and names nobody, `bad_user` for the name
    ///   of several; the errors of the service.
    func uid(of text: String, for purpose: Purpose = .action) async throws -> String {
        let isID = UserID(text) != nil
        let byName = purpose == .action || purpose == .making && !isID
        if let match = try await find(text, byName: byName) {
            match.tell()
            return match.uid
        }
        if purpose == .deletion, isID { return text }
        let users = try await AccountsClient(service).all().map { KnownPerson($0) }
        let suggestion = try await suggestion(for: text, users).map { "; \($0)" } ?? ""
        guard isID else {
            let kinds = purpose == .deletion ? "with the id or the address " : ""
            throw Failure(
                .unknownUser, "there is no person or account \(kinds)\"\(text.prefix(80))\"\(suggestion)",
                hint: purpose == .deletion && Self.canBeName(text)
                    ? "Leave --yes out to use a name."
                    : "List people with tintype person ls, and accounts with tintype user ls.")
        }
        // In an app without accounts, a new id is nothing unusual.
        if !users.isEmpty || purpose == .action && !suggestion.isEmpty {
            let fault =
                purpose == .making
                ? "nobody has the id \"\(text)\" yet: it is the id of a new person"
                : "nobody has the id or the name \"\(text)\" yet: it is taken for an id"
            Terminal.note((fault + suggestion).printable)
        }
        return text
    }

    /// Returns the person or the account that a text means; nil if there is none.
    ///
    /// - Parameters:
    ///   - byName: Whether a name counts.
    ///   - accounts: The accounts of the service, if there is a client already.
    /// - Throws: `Failure` with the code `bad_user` for the name of several; the errors of the service.
    func find(_ text: String, byName: Bool, in accounts: AccountsClient? = nil) async throws -> Match? {
        if UserID(text) != nil, try await isPerson(text) { return Match(uid: text) }
        let accounts = if let accounts { accounts } else { try await AccountsClient(service) }
        if let user = try await accounts.find(text) { return Match(uid: user.uid) }
        guard byName, Self.canBeName(text) else { return nil }
        let users = try await accounts.all().map { KnownPerson($0) }
        var named = users.filter { $0.isNamed(text) }
        for var person in try await people(named: text) where !named.contains(where: { $0.uid == person.uid }) {
            person.email = users.first { $0.uid == person.uid }?.email
            named.append(person)
        }
        return try named.only(named: text).map { Match(uid: $0.uid, note: "\"\(text)\" is \($0.words)".printable) }
    }

    private static func canBeName(_ text: String) -> Bool { !text.isEmpty && !text.contains("@") }

    private func isPerson(_ uid: String) async throws -> Bool {
        do {
            _ = try await service.send(.get, "/v1/people/\(uid.percentEncoded)")
            return true
        } catch let error as Failure where !error.isTransient && error.code != .noService {
            return error.code != .notFound
        }
    }

    /// Returns the people whose whole name is a text.
    private func people(named text: String) async throws -> [KnownPerson] {
        do {
            return try await people(searching: text, limit: .max).filter { $0.isNamed(text) }
        } catch let error as Failure where [.badRequest, .badQuery, .badText].contains(error.code) {
            return []  // It has no letters to search for.
        }
    }

    private func suggestion(for text: String, _ users: [KnownPerson]) async throws -> String? {
        let known = Set(users.map(\.uid))
        let people = try await people(searching: nil, limit: Self.maxSuggested).filter { !known.contains($0.uid) }
        return (users + people).suggestion(for: text)
    }

    private func people(searching text: String?, limit: Int) async throws -> [KnownPerson] {
        var (found, next) = ([KnownPerson](), String?.none)
        repeat {
            let page: PeoplePageDocument = try await service.read(
                .get, "/v1/people", query: ["search": text, "limit": "\(PageSize.max)", "after": next])
            found += page.people.map { KnownPerson($0) }
            next = page.next
        } while next != nil && found.count < limit
        return found
    }
}

extension StorageOptions {
    /// Returns the id of the person or the account that a text names. An id is enough where no service answers.
    ///
    /// - Throws: `Failure` for a text that is no id, if it names nobody or several, or if no service answers.
    func uid(of text: String) async throws -> String {
        do {
            return try await PersonFinder(service: APIClient(self)).uid(of: text)
        } catch let error as Failure where error.code != .unknownUser && error.code != .badUser {
            if UserID(text) != nil { return text }
            guard error.code == .noService else { throw error }
            throw Failure(
                .badUser, "\"\(text.prefix(80))\" is not an id, and no service runs that knows names and addresses",
                hint: "Give an id, or start the service.")
        }
    }

    /// Returns the id of the person or the account that an optional argument names; nil for nil.
    func uid(ofAny text: String?) async throws -> String? {
        guard let text else { return nil }
        return try await uid(of: text)
    }
}
