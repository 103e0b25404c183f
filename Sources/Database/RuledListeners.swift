import Synchronization
import Tree
import TreeModel

/// Those who listen and are bound by rules: they are judged again when the rules change, and when something changes at which
/// these have looked.
final class RuledListeners: Sendable {
    private struct Entry {
        let listener: Listener
        let requester: Requester
        let receiver: any EventReceiver
        /// The judgement whose grounds are watched.
        var watched: (read: RuledRead, watch: NodeWatch)?
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        /// Who is to be judged again.
        var due: Set<UInt64> = []
        var isJudging = false
    }

    private let tree: TreeStore
    private let state = Mutex(State())

    init(in tree: TreeStore) { self.tree = tree }

    /// Notes somebody who begins to listen, and is judged by the rules that hold from then on.
    func add(_ listener: Listener, for requester: Requester, notifying receiver: any EventReceiver) {
        let entry = Entry(listener: listener, requester: requester, receiver: receiver)
        state.withLock { $0.entries[listener.id] = entry }
    }

    /// - Returns: Whether it was still noted; of several who remove it at once, one is told so.
    @discardableResult
    func remove(_ listener: Listener) -> Bool {
        let entry = state.withLock { state in
            state.due.remove(listener.id)
            return state.entries.removeValue(forKey: listener.id)
        }
        entry?.watched?.watch.end(in: tree)
        return entry != nil
    }

    /// Judges all who listen in a tree, and tells those who may not any more that it has ended.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    func judge(in namespace: Namespace) async throws {
        try await judge(state.withLock { $0.entries.values.filter { $0.listener.path.namespace == namespace } })
    }

    /// Judges a listener soon, together with others.
    func judgeSoon(_ id: UInt64) {
        let begins = state.withLock { state in
            guard state.entries[id] != nil else { return false }
            state.due.insert(id)
            defer { state.isJudging = true }
            return !state.isJudging
        }
        // For all who are due, whoever is the first.
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
                // Of whom nobody knows whether they may listen, does not.
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

    /// Tells a listener that it has ended: once, also when several judgements at the same time come to that.
    private func end(_ entry: Entry) {
        if remove(entry.listener) { entry.receiver.cancel([entry.listener.id]) }
    }

    /// Watches the grounds of a judgement. What was not watched before may have changed since, so that it is judged once more.
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
