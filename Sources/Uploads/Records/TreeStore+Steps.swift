import Failpoints
import Files
package import Tree

extension TreeStore {
    /// Commits an update that is one step in the life of an upload or a post, between the two sides of its failpoint.
    ///
    /// - Parameter step: The name of the failpoint, such as `ingested-published`.
    /// - Returns: False, without any write, if one of the update's preconditions does not hold.
    /// - Throws: The engine's failure, or the failure that the failpoint injects.
    package func commit(_ update: MultiPathUpdate, at step: String) async throws -> Bool {
        let failure = Failpoint.step.pass(.before, at: step)
        guard failure == 0 else { throw FileError(errno: failure, doing: "take the step \(step)") }
        guard try await updateIfPossible(update) else { return false }
        _ = Failpoint.step.pass(.after, at: step)
        return true
    }

    /// Applies an update, durably.
    ///
    /// - Returns: False, without any write, if one of the update's preconditions does not hold.
    package func updateIfPossible(_ update: MultiPathUpdate) async throws(TreeError) -> Bool {
        do throws(TreeError) {
            try await self.update(update)
            return true
        } catch {
            guard error.code == .preconditionFailed else { throw error }
            return false
        }
    }

    /// Reads, decides and writes as one step in the life of an upload or a post, between the two sides of its failpoint; see
    /// ``TreeStore/transact(_:)``, which may run the body several times.
    ///
    /// - Parameter step: The name of the failpoint, such as `draft-photo`.
    /// - Returns: The result of the body in its last run.
    package func transact<Value: Sendable>(
        at step: String, _ body: @escaping @Sendable (TreeSnapshot, inout MultiPathUpdate) throws -> Value
    ) async throws -> Value {
        let failure = Failpoint.step.pass(.before, at: step)
        guard failure == 0 else { throw FileError(errno: failure, doing: "take the step \(step)") }
        let value = try await transact(body).result
        _ = Failpoint.step.pass(.after, at: step)
        return value
    }

    /// Deletes the node at a path, as a step of its own; see ``commit(_:at:)``.
    func delete(_ path: TreePath, at step: String) async throws {
        var update = MultiPathUpdate()
        update[path] = nil
        _ = try await commit(update, at: step)
    }
}
