import Synchronization
import TreeModel

/// What an emulator tells of, for tests of apps to read, and no other service keeps.
final class EmulatorState: Sendable {
    /// The most codes that are kept.
    private static let maxCodes = 1_000

    private struct State {
        var codes: [JSONValue] = []
        var hidesAccounts = false
    }

    private let state = Mutex(State())

    /// Whether answers hide which addresses have accounts, as the hosted service does.
    var hidesAccounts: Bool {
        get { state.withLock(\.hidesAccounts) }
        set { state.withLock { $0.hidesAccounts = newValue } }
    }

    /// The last codes that were made, as the emulator shows them.
    var codes: [JSONValue] { state.withLock(\.codes) }

    /// Keeps a code; forgets the oldest when there are too many.
    func add(_ code: JSONValue) {
        state.withLock { state in
            if state.codes.count >= Self.maxCodes { state.codes.removeFirst() }
            state.codes.append(code)
        }
    }

    func removeCodes() { state.withLock { $0.codes = [] } }
}
