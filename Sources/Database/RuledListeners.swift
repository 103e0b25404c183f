import Synchronization
import Tree
import TreeModel

/// The listeners that are bound by rules. They are checked again when the rules change, and when a node changes that
/// the rules have read.
final class RuledListeners: Sendable {
    private struct Entry {
        let listener: Listener
        let requester: Requester
        let receiver: any EventReceiver
        /// The last decision of the rules, and the watch over the nodes on which it was based.
        var watched: (read: RuledRead, watch: NodeWatch)?
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        /// The listeners that must be checked again.
        var due: Set<UInt64> = []
        var isJudging = false
    }

    private let tree: TreeStore
    private let state = Mutex(State())

    init(in tree: TreeStore) { self.tree = tree }

    /// Adds a listener, which is checked by the rules from then on.
    func add(_ listener: Listener, for requester: Requester, notifying receiver: any EventReceiver) {
        let entry = Entry(listener: listener, requester: requester, receiver: receiver)
        state.withLock { $0.entries[listener.id] = entry }
    }

    /// Removes a listener.
    ///
    /// - Returns: Whether it was there; of several concurrent calls, only one returns true.
    @discardableResult
    func remove(_ listener: Listener) -> Bool {
        let entry = state.withLock { state in
            state.due.remove(listener.id)
            return state.entries.removeValue(forKey: listener.id)
        }
        entry?.watched?.watch.end(in: tree)
        return entry != nil
    }

    /// Checks all listeners of a tree, and ends those that may no longer read.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    func judge(in namespace: Namespace) async throws {
        try await judge(state.withLock { $0.entries.values.filter { $0.listener.path.namespace == namespace } })
    }

    /// Checks a listener soon, together with others.
    func judgeSoon(_ id: UInt64) {
        let begins = state.withLock { state in
            guard state.entries[id] != nil else { return false }
            state.due.insert(id)
            defer { state.isJudging = true }
            return !state.isJudging
        }
        // The first caller starts the check for all that are due.
        if begins { Task.detached(name: "Rules for listeners") { await self.judgeAllDue() } }
    }

    @concurrent
    private func judgeAllDue() async {
        while true {
            let due = state.withLock { state in
                defer {
                    state.isJudging = !state.due.isEmpty
                    state.due = []
                }
                return state.due.compactMap { state.entries[$0] }
            }
            guard !due.isEmpty else { return }
            do {
                try await judge(due)
            } catch {
                // A listener whose rights are unknown is ended.
                due.forEach(end)
            }
        }
    }

    private func judge(_ entries: [Entry]) async throws {
        guard !entries.isEmpty else { return }
        let reads = try await tree.snapshot { snapshot in
            try entries.map { entry in
                try entry.requester.judgement(of: entry.listener.path, matching: entry.listener.query, in: snapshot)
            }
        }
        for (entry, read) in zip(entries, reads) {
            if read.isAllowed { watch(read, for: entry) } else { end(entry) }
        }
    }

    /// Ends a listener and notifies its receiver, only once even if several checks decide so at the same time.
    private func end(_ entry: Entry) {
        if remove(entry.listener) { entry.receiver.cancel([entry.listener.id]) }
    }

    /// Watches the nodes on which a decision was based. Nodes that were not watched before may have changed since, so
    /// that the listener is checked once more.
    private func watch(_ read: RuledRead, for entry: Entry) {
        if entry.watched.map({ read.looksAtNoMore(than: $0.read) }) ?? read.looksAtNothing { return }
        let id = entry.listener.id
        let watch = NodeWatch(of: read, in: tree) { [weak self] in self?.judgeSoon(id) }
        let ended: NodeWatch? = state.withLock { state in
            guard let before = state.entries[id] else { return watch }
            state.entries[id]?.watched = (read, watch)
            return before.watched?.watch
        }
        ended?.end(in: tree)
        judgeSoon(id)
    }
}
