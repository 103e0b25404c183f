package import API
import Access
import Synchronization

/// A limit on the bytes of request bodies that are processed at the same time, shared fairly by the clients.
///
/// No client holds more than is free for the others. The first bytes of each write are taken from a reserve, which is
/// shared in the same way, so that small writes succeed while large ones use the rest.
package final class ByteBudget: Sendable {
    /// The sender of writes, whose bytes are counted together.
    enum Client: Hashable, Sendable {
        case user(String)
        /// All clients without an identity from one network.
        case network([UInt8])
    }

    /// The number of bytes of each write that are taken from the reserve.
    static let smallBytes = 64 << 10

    private let reserve: Pool
    private let rest: Pool

    /// - Parameter reserveBytes: The size of the reserve for the first bytes of each write, in addition to `maxBytes`.
    init(maxBytes: Int, reserveBytes: Int) {
        reserve = Pool(maxBytes: reserveBytes)
        rest = Pool(maxBytes: maxBytes)
    }

    /// The share of one request in the budget; it is returned when the share is released.
    package final class Share: Sendable {
        private let budget: ByteBudget
        private let client: Client?
        private let byteCount = Mutex(0)

        fileprivate init(of budget: ByteBudget, for client: Client?) {
            self.budget = budget
            self.client = client
        }

        /// Takes more bytes from the budget.
        ///
        /// The call does not wait, because two requests with half of the budget each would wait for ever.
        ///
        /// - Throws: `Failure` with the code `too_many_writes` if others hold the rest, or the client holds too much.
        package func take(_ count: Int) throws(Failure) {
            let isTaken = byteCount.withLock { held in
                guard budget.take(held..<held + count, for: client) else { return false }
                held += count
                return true
            }
            guard isTaken else {
                throw Failure(
                    .tooManyWrites, "too much is being written at once",
                    hint: "Try again when other large writes are done.")
            }
        }

        deinit { budget.give(byteCount.withLock { $0 }, of: client) }
    }

    /// Creates a share.
    ///
    /// - Parameter client: The client that holds the share; nil for the owner, who is not limited.
    func share(for client: Client?) -> Share { Share(of: self, for: client) }

    /// Takes the bytes of a range of a write; returns false if they are not available.
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

/// A number of bytes that clients share.
private final class Pool: Sendable {
    private struct State {
        var usedBytes = 0
        var bytesOfClients: [ByteBudget.Client: Int] = [:]
    }

    private let maxBytes: Int
    private let state = Mutex(State())

    init(maxBytes: Int) { self.maxBytes = maxBytes }

    /// Takes bytes, unless the client would then hold more than is left.
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
    /// Creates the client of an identity; nil for the owner.
    ///
    /// - Parameter network: The network of a client without an identity.
    init?(_ identity: Identity, from network: [UInt8]) {
        switch identity {
        case .admin: return nil
        case .anonymous: self = .network(network)
        case .user(let user): self = user.uid.map(Self.user) ?? .network(network)
        }
    }
}

extension RealtimeDatabase {
    /// Creates a share of the budget of all writes, for a message of a session that is still incomplete.
    package func memoryShare(for session: DatabaseSession) -> ByteBudget.Share { budget.share(for: session.client) }
}
