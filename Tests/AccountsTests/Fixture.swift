import Access
import Logging
import Model
import Synchronization
import Testing
import Tree
import TreeModel

@testable import Accounts

/// A clock that a test moves.
final class TestClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_800_000_000_000)

    var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    func advance(seconds: Int64) { milliseconds.withLock { $0 += seconds * 1000 } }
}

/// A service with its accounts in memory, and its recorded messages and events.
struct Fixture: Sendable {
    let service: IdentityService
    let store: AccountStore
    let tree: TreeStore
    let authority: TokenAuthority
    let passwords: PasswordHasher
    let clock: TestClock
    let messages: Recorder<AccountMessage>
    let events: Recorder<AuditEvent>
    let revocations: Recorder<String>

    static let admin = IdentityCaller(isAdmin: true, address: "admin")
    static let app = IdentityCaller(address: "192.0.2.1")

    /// Performs an operation on behalf of an app.
    @discardableResult
    func perform(
        _ operation: IdentityOperation, _ body: JSONValue, by caller: IdentityCaller = app
    ) async throws -> JSONValue {
        try await service.perform(operation, body, by: caller)
    }

    /// Returns the error of a refused operation; `done` when it succeeds.
    func refusal(
        _ operation: IdentityOperation, _ body: JSONValue, by caller: IdentityCaller = app,
        idempotencyKey: String? = nil
    ) async -> String {
        do throws(IdentityError) {
            _ = try await service.perform(operation, body, by: caller, idempotencyKey: idempotencyKey)
            return "done"
        } catch {
            return error.message
        }
    }

    /// Creates an account with an address and a password, and signs it in.
    func signUp(_ email: String = "ann@example.com", _ password: String = "sesame!") async throws -> SignedInApp {
        SignedInApp(
            try await perform(
                .signUp, ["email": .string(email), "password": .string(password), "returnSecureToken": true]))
    }

    func signIn(_ email: String = "ann@example.com", _ password: String = "sesame!") async throws -> SignedInApp {
        SignedInApp(try await perform(.signInWithPassword, ["email": .string(email), "password": .string(password)]))
    }

    func signUpAnonymously() async throws -> SignedInApp {
        SignedInApp(try await perform(.signUp, ["returnSecureToken": true]))
    }

    /// Returns the account of a token, in the form for its owner.
    func me(_ app: SignedInApp) async throws -> JSONValue {
        let answer = try await perform(.lookup, ["idToken": .string(app.idToken)])
        guard case .list(let users) = answer["users"], let user = users.first else {
            throw MissingMember(name: "users")
        }
        return user
    }

    func claims(_ app: SignedInApp) throws -> [String: JSONValue] { try authority.verify(app.idToken) }

    func refresh(_ token: String, key: String? = nil) async -> String {
        await refusal(
            .token, ["grant_type": "refresh_token", "refresh_token": .string(token)], idempotencyKey: key)
    }

    /// Refreshes a token, and returns the next one.
    ///
    /// - Parameter key: The key of the refresh; nil for none.
    func next(after token: String, key: String?) async throws -> String {
        let body: JSONValue = ["grant_type": "refresh_token", "refresh_token": .string(token)]
        let answer = try await service.perform(.token, body, by: Self.app, idempotencyKey: key)
        guard let next = answer["refresh_token"]?.string else { throw MissingMember(name: "refresh_token") }
        return next
    }
}

struct MissingMember: Error {
    let name: String
}

/// The values that an app stores from an answer to a sign-in.
struct SignedInApp: Sendable {
    let answer: JSONValue

    init(_ answer: JSONValue) { self.answer = answer }

    var uid: String { answer["localId"]?.string ?? "" }
    var idToken: String { answer["idToken"]?.string ?? "" }
    var refreshToken: String { answer["refreshToken"]?.string ?? "" }
}

/// A list of the values that it receives.
final class Recorder<Element: Sendable>: Sendable {
    private let kept = Mutex<[Element]>([])

    var all: [Element] { kept.withLock { $0 } }

    func add(_ element: Element) { kept.withLock { $0.append(element) } }
}

/// The keys of all tests, as generating one takes a while.
private let sharedKeys = Result { try KeyRing(now: .epoch) }

func testKeys() throws -> KeyRing { try sharedKeys.get() }

/// The hasher of all tests, which limits their memory together.
private let sharedPasswords = PasswordHasher(atATime: 2, maxWaiting: 1000, maxWaitingOfCaller: 1000)

/// Runs a test's body with a fresh service.
///
/// - Parameters:
///   - change: Changes the settings.
///   - site: The service as messages name it.
///   - provider: The function that verifies the tokens of providers.
func withAccounts(
    isEmulator: Bool = false, limits: ThrottleLimits = ThrottleLimits(), hasDelivery: Bool = true,
    passwords: PasswordHasher? = nil,
    provider: @escaping @Sendable (String) -> IdentityProofs.Verification? = { _ in nil },
    settings change: (inout IdentitySettings) -> Void = { _ in },
    site: AccountMessage.Site = AccountMessage.Site(name: "Club"),
    _ body: (Fixture) async throws -> Void
) async throws {
    let clock = TestClock()
    let tree = try await TreeStore(engine: MemoryEngine())
    let (messages, events) = (Recorder<AccountMessage>(), Recorder<AuditEvent>())
    let revocations = Recorder<String>()
    let store = AccountStore(
        tree: tree, clock: { clock.now },
        onRevocation: { uid, seconds in revocations.add("\(uid) before \(seconds - clock.now.seconds)") })
    let authority = TokenAuthority(project: "demo", keys: try testKeys(), now: { clock.now })
    var settings = IdentitySettings(actionURL: "https://photos.example/action")
    settings.isEmulator = isEmulator
    change(&settings)
    let passwords = passwords ?? sharedPasswords
    let delivery: CodeDelivery = { messages.add($0) }
    let service = IdentityService(
        store: store, passwords: passwords, authority: authority,
        proofs: IdentityProofs(
            customTokens: CustomTokenVerifier(accounts: [], authority: authority, isEmulator: isEmulator),
            provider: provider),
        throttle: Throttle(limits, clock: { clock.now }), settings: settings, site: { site },
        delivery: hasDelivery ? delivery : nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        audit: { events.add($0) })
    try await body(
        Fixture(
            service: service, store: store, tree: tree, authority: authority, passwords: passwords, clock: clock,
            messages: messages, events: events, revocations: revocations))
    await tree.close()
}

extension JSONValue {
    /// The names of an object's members, in their order.
    var names: [String] { members?.keys.sorted() ?? [] }

    /// The elements, if this is a list.
    var list: [JSONValue] { if case .list(let list) = self { list } else { [] } }
}

extension Fixture {
    /// The names of the nodes in the tree of accounts.
    var leftovers: [String] {
        get async throws { try await tree.keys(of: TreePath([], in: .accounts)).map(\.string) }
    }
}
