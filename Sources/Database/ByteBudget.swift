package import API
import Access
import Synchronization

/// A bound on how many bytes of request bodies are in work at once, which nobody can have for themselves.
///
/// No client holds more than is free for the others. The first bytes of each write are taken from a reserve, which is shared
/// in the same way: so small writes come through when large ones have everything else.
package final class ByteBudget: Sendable {
    /// The sender of writes, whose bytes are counted together.
    enum Client: Hashable, Sendable {
        case user(String)
        /// Everybody of whom nothing is known, and who comes from there.
        case network([UInt8])
    }

    /// The bytes of a write that are taken from the reserve.
    static let smallBytes = 64 << 10

    private let reserve: Pool
    private let rest: Pool

    /// - Parameter reserveBytes: How much more there is for the first bytes of each write.
    init(maxBytes: Int, reserveBytes: Int) {
        reserve = Pool(maxBytes: reserveBytes)
        rest = Pool(maxBytes: maxBytes)
    }

    /// A part of the budget that belongs to one request, and comes back when the request is done with.
    package final class Share: Sendable {
        private let budget: ByteBudget
        private let client: Client?
        private let byteCount = Mutex(0)

        fileprivate init(of budget: ByteBudget, for client: Client?) {
            self.budget = budget
            self.client = client
        }

        /// Takes more of the budget.
        ///
        /// Nobody waits: two that hold a half each would wait for ever.
        ///
        /// - Throws: `Failure` with the code `too_many_writes` when others have the rest, or the client too much of it.
        package func take(_ count: Int) throws(Failure) {
            let isTaken = byteCount.withLock { held in
                guard budget.take(held..<held + count, for: client) else { return false }
                held += count
                return true
            }
            guard isTaken else {
                throw Failure(
                    .tooManyWrites, "too much is being written at once",
                    hint: "try again when other large writes are done")
            }
        }

        deinit { budget.give(byteCount.withLock { $0 }, of: client) }
    }

    /// Begins a share.
    ///
    /// - Parameter client: Whose it is; nil for the owner, who may have everything.
    func share(for client: Client?) -> Share { Share(of: self, for: client) }

    /// Takes a range of the bytes of a write.
    private func take(_ bytes: Range<Int>, for client: Client?) -> Bool {
        let small = bytes.clamped(to: 0..<Self.smallBytes).count
        guard reserve.take(small, for: client) else { return false }
        guard rest.take(bytes.count - small, for: client) else {
            reserve.give(small, of: client)
            return false
        }
        return true
    }

    private func give(_ byteCount: Int, of client: Client?) {
        let small = min(byteCount, Self.smallBytes)
        reserve.give(small, of: client)
        rest.give(byteCount - small, of: client)
    }
}

/// Bytes that are shared.
private final class Pool: Sendable {
    private struct State {
        var usedBytes = 0
        var bytesOfClients: [ByteBudget.Client: Int] = [:]
    }

    private let maxBytes: Int
    private let state = Mutex(State())

    init(maxBytes: Int) { self.maxBytes = maxBytes }

    /// Takes bytes, unless a client would then have more than is left.
    func take(_ count: Int, for client: ByteBudget.Client?) -> Bool {
        guard count > 0 else { return true }
        return state.withLock { state in
            let free = maxBytes - state.usedBytes - count
            guard free >= 0 else { return false }
            if let client {
                let held = state.bytesOfClients[client, default: 0] + count
                guard held <= free else { return false }
                state.bytesOfClients[client] = held
            }
            state.usedBytes += count
            return true
        }
    }

    func give(_ count: Int, of client: ByteBudget.Client?) {
        guard count > 0 else { return }
        state.withLock { state in
            state.usedBytes -= count
            guard let client, let held = state.bytesOfClients[client] else { return }
            state.bytesOfClients[client] = held > count ? held - count : nil
        }
    }
}

extension ByteBudget.Client {
    /// - Parameter network: Where somebody comes from of whom nothing is known.
    init?(_ identity: Identity, from network: [UInt8]) {
        switch identity {
        case .admin: return nil
        case .anonymous: self = .network(network)
        case .user(let user): self = user.uid.map(Self.user) ?? .network(network)
        }
    }
}

extension RealtimeDatabase {
    /// Begins a share of the budget of all that is being written: for a message of a session whose end has not come.
    package func memoryShare(for session: DatabaseSession) -> ByteBudget.Share { budget.share(for: session.client) }
}
