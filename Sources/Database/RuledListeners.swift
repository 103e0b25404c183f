import Synchronization
import Tree
import TreeModel

/// Those who listen and are bound by rules: they are judged again when the rules change.
final class RuledListeners: Sendable {
    private struct Entry {
        let listener: Listener
        let requester: Requester
        let receiver: any EventReceiver
    }

    private let entries = Mutex<[UInt64: Entry]>([:])

    /// Notes somebody who begins to listen, and is judged by the rules that hold from then on.
    func add(_ listener: Listener, for requester: Requester, notifying receiver: any EventReceiver) {
        let entry = Entry(listener: listener, requester: requester, receiver: receiver)
        entries.withLock { $0[listener.id] = entry }
    }

    func remove(_ listener: Listener) { _ = entries.withLock { $0.removeValue(forKey: listener.id) } }

    /// Judges all who listen in a tree, and tells those who may not any more that it has ended.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    func judge(in namespace: Namespace, of tree: TreeStore) async throws {
        let entries = entries.withLock { $0.values.filter { $0.listener.path.namespace == namespace } }
        guard !entries.isEmpty else { return }
        let refused = try await tree.snapshot { snapshot in
            try entries.filter { entry in
                do throws(TreeError) {
                    try entry.requester.judgeRead(
                        of: entry.listener.path, matching: entry.listener.query, in: snapshot)
                    return false
                } catch {
                    guard error.code == .permissionDenied else { throw error }
                    return true
                }
            }
        }
        for entry in refused { entry.receiver.cancel([entry.listener.id]) }
    }
}
