import API
import Files
package import Tree

/// The value of a path in the newest backup of a store.
package struct BackedUpValue: Sendable {
    private let source: any BackupSource
    private let store: String?

    /// - Parameter store: The id of the store that will receive the value.
    package init(in source: any BackupSource, of store: String?) { (self.source, self.store) = (source, store) }

    /// Returns the value at a path, or the priority there, as JSON.
    ///
    /// - Parameter folder: An empty folder, in which the tree of the backup is created.
    /// - Throws: `Failure`: `different_stores` for a backup of another store, `not_found` if the backup has no value
    ///   there.
    package func json(at path: TreePath, isPriority: Bool, workingIn folder: String) async throws -> [UInt8] {
        let plan = try await RestorePlan(.newest, of: source)
        guard store == nil || plan.state.store == store else {
            throw Failure(
                .differentStores, "\(source.path) has backups of another store",
                hint: "Name the folder with the backups of this store.")
        }
        let restore = TreeRestore(plan, from: source, in: try Directory(path: folder), publicBase: nil)
        var progress = BackupProgress { _ in }
        try await restore.run(&progress)
        let tree = try await TreeStore(engine: try SQLiteEngine(path: restore.path), isMaintained: false)
        do {
            let json = try await tree.snapshot { snapshot -> [UInt8]? in
                try isPriority ? snapshot.priorityJSON(of: path) : snapshot.get(path)?.json()
            }
            await tree.close()
            guard let json, json != Array("null".utf8) else {
                throw Failure(.notFound, "\(source.path) has nothing at \(path)", hint: "Drop the row with --drop.")
            }
            return json
        } catch {
            await tree.close()
            throw error
        }
    }
}
