import Synchronization
import TreeModel

/// The state of an emulator that tests of apps read; other services do not keep it.
final class EmulatorState: Sendable {
    /// The largest number of codes that are kept.
    private static let maxCodes = 1_000

    private struct State {
        var codes: [JSONValue] = []
        var hidesAccounts = false
    }

    private let state = Mutex(State())

    /// Whether responses hide which addresses have accounts, as the hosted service does.
    var hidesAccounts: Bool {
        get { state.withLock(\.hidesAccounts) }
        set { state.withLock { $0.hidesAccounts = newValue } }
    }

    /// The latest codes, as the emulator lists them.
    var codes: [JSONValue] { state.withLock(\.codes) }

    /// Stores a code; removes the oldest when there are too many.
    func add(_ code: JSONValue) {
        state.withLock { state in
            if state.codes.count >= Self.maxCodes { state.codes.removeFirst() }
            state.codes.append(code)
        }
    }

    func removeCodes() { state.withLock { $0.codes = [] } }
}
