package import Access
import Synchronization
import Tree
package import TreeModel

/// The open streams and sessions, for operators.
package final class OpenStreams: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Server-sent events.
        case stream
        /// A WebSocket of the database.
        case session
    }

    package struct Entry: Sendable {
        package let kind: Kind
        /// The path, at most 200 characters, without the query, which may contain credentials.
        package let what: String
        /// An IP address; empty on the Unix socket.
        package let address: String
        /// The identity that the stream acts as, and its proof.
        package fileprivate(set) var proof: Proof
        /// The time at which the stream began.
        package let since: Timestamp
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var counts: [Kind: Int] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Lists a stream or session until its ticket is released.
    package func add(_ kind: Kind, _ path: String?, by proof: Proof, from address: String) -> Ticket {
        let what = (path ?? "").prefix { $0 != "?" }.prefix(200)
        let entry = Entry(
            kind: kind, what: String(what), address: address, proof: proof, since: WallClock.now())
        let id = state.withLock { state in
            state.lastID += 1
            state.entries[state.lastID] = entry
            state.counts[kind, default: 0] += 1
            return state.lastID
        }
        return Ticket(of: id, in: self)
    }

    package func count(_ kind: Kind) -> Int { state.withLock { $0.counts[kind, default: 0] } }

    /// Returns at most `limit` entries: the oldest ones, in the order in which they were added.
    package func list(_ limit: Int) -> [Entry] {
        let entries = state.withLock { $0.entries }
        return entries.sorted { $0.key < $1.key }.prefix(limit).map(\.value)
    }

    private func remove(_ id: UInt64) {
        state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: id) else { return }
            state.counts[entry.kind, default: 0] -= 1
        }
    }

    /// A stream or session that is listed while this object exists.
    package final class Ticket: Sendable {
        private let id: UInt64
        private let list: OpenStreams

        fileprivate init(of id: UInt64, in list: OpenStreams) {
            (self.id, self.list) = (id, list)
        }

        /// The identity that the stream acts as.
        package var identity: Identity? { list.state.withLock { $0.entries[id]?.proof.identity } }

        /// Records the identity that the stream acts as from now on.
        package func act(by proof: Proof) { list.state.withLock { $0.entries[id]?.proof = proof } }

        deinit { list.remove(id) }
    }
}
