package import Logging
import Model
package import Tree

/// Corrects derived data that are missing or wrong because they are older than the derivations, or because a version
/// without these derivations has changed the data.
///
/// It works in steps, each one update, and may be interrupted at any point. Concurrent writes are taken into account.
package struct SocialRepair: Sendable {
    /// The number of nodes that one step reads.
    private static let batch = 200

    private let tree: TreeStore
    private let logger: Logger
    private let version: TreePath

    /// - Parameter version: The path at which the version of the last complete repair, and the progress of the present
    ///   one, are stored.
    package init(_ tree: TreeStore, version: TreePath, logger: Logger) {
        self.tree = tree
        self.version = version
        self.logger = logger
    }

    /// Marks a tree without data as repaired.
    ///
    /// - Returns: Whether it has no data and was not marked before.
    @discardableResult
    package func skipIfEmpty() async throws -> Bool {
        try await tree.transact { [version] snapshot, update in
            guard try !snapshot.exists(.root), try !snapshot.exists(version) else { return false }
            update[version] = Self.done
            return true
        }.result
    }

    private static let done: TreeValue = ["done": .integer(SocialDerivations.version)]

    /// Performs the repair, unless it is complete already.
    ///
    /// - Throws: The engine's failure; another run then continues.
    package func run() async throws {
        guard try await tree.get(version / "done")?.integerValue != SocialDerivations.version else { return }
        var count = 0
        let stages = RepairStage.all
        var (number, last) = try await progress()
        while number < stages.count {
            let (stage, position) = (stages[number], last)
            let step = try await tree.transact { [version, number] snapshot, update in
                update.scope = .repair
                let nodes = try stage.place.nodes(in: snapshot, after: position, limit: Self.batch)
                let writes = try Self.missing(stage, nodes, snapshot)
                for write in writes { update[write.path] = write.value }
                update[version / "progress"] = .string("\(number) \(nodes.last?.description ?? "")")
                return (last: nodes.count == Self.batch ? nodes.last : nil, count: writes.count)
            }.result
            count += step.count
            last = step.last
            if last == nil { number += 1 }
            try Task.checkCancellation()
        }
        var update = MultiPathUpdate()
        update[version] = Self.done
        try await tree.update(update)
        guard count > 0 else { return }
        logger.info("counters, search keys and links are correct", metadata: ["writes": "\(count)"])
    }

    /// Returns the paths whose derived data are wrong; empty if all are correct.
    ///
    /// Reads all data.
    package func faults() async throws -> [TreePath] {
        var faults: [TreePath] = []
        for stage in RepairStage.all {
            var last: TreePath?
            repeat {
                let position = last
                let (found, next) = try await tree.snapshot { snapshot in
                    let nodes = try stage.place.nodes(in: snapshot, after: position, limit: Self.batch)
                    return (
                        try Self.missing(stage, nodes, snapshot).map(\.path),
                        nodes.count == Self.batch ? nodes.last : nil
                    )
                }
                faults += found
                last = next
            } while last != nil
        }
        return faults
    }

    /// Returns the position at which an earlier run stopped.
    private func progress() async throws -> (stage: Int, last: TreePath?) {
        let parts = try await tree.get(version / "progress")?.stringValue?.split(separator: " ", maxSplits: 1) ?? []
        guard let stage = parts.first.flatMap({ Int($0) }), RepairStage.all.indices.contains(stage) else {
            return (0, nil)
        }
        let namespace = RepairStage.all[stage].place.path.namespace
        return (stage, parts.count > 1 ? try? TreePath(String(parts[1]), in: namespace) : nil)
    }

    /// Returns the writes for some nodes that would change stored data.
    private static func missing(
        _ stage: RepairStage, _ nodes: [TreePath], _ snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        var writes: [TreeWrite] = []
        for node in nodes { writes += try stage.missing(at: node, in: snapshot) }
        return writes
    }
}
