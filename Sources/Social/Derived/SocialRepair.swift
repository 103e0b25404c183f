package import Logging
import Model
package import Tree

/// Brings what derivations keep in order with what it follows from, where data are older than the derivations, or a version
/// has worked on them that does not know these.
///
/// It works in steps, each one update, and may be stopped anywhere. Whoever writes meanwhile is taken into account.
package struct SocialRepair: Sendable {
    /// The number of nodes that one step looks at.
    private static let batch = 200

    private let tree: TreeStore
    private let logger: Logger
    private let version: TreePath

    /// - Parameter version: Where it is kept which version of the derivations all data have been gone through by, and how
    ///   far that is.
    package init(_ tree: TreeStore, version: TreePath, logger: Logger) {
        self.tree = tree
        self.version = version
        self.logger = logger
    }

    /// Notes of a tree without any data that there is nothing to do.
    ///
    /// - Returns: Whether it has none, and had not been noted.
    @discardableResult
    package func skipIfEmpty() async throws -> Bool {
        try await tree.transact { [version] snapshot, update in
            guard try !snapshot.exists(.root), try !snapshot.exists(version) else { return false }
            update[version] = Self.done
            return true
        }.result
    }

    private static let done: TreeValue = ["done": .integer(SocialDerivations.version)]

    /// Does what there is to do, unless it has been done.
    ///
    /// - Throws: The engine's failure; then another run goes on.
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
        logger.info("counters, search keys and links are in order", metadata: ["writes": "\(count)"])
    }

    /// The places where something else stands than what follows from the data; empty where all is right.
    ///
    /// Costs a read of everything.
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

    /// Where an earlier run was cut off.
    private func progress() async throws -> (stage: Int, last: TreePath?) {
        let parts = try await tree.get(version / "progress")?.stringValue?.split(separator: " ", maxSplits: 1) ?? []
        guard let stage = parts.first.flatMap({ Int($0) }), RepairStage.all.indices.contains(stage) else {
            return (0, nil)
        }
        let namespace = RepairStage.all[stage].place.path.namespace
        return (stage, parts.count > 1 ? try? TreePath(String(parts[1]), in: namespace) : nil)
    }

    /// The writes of some nodes that change anything.
    private static func missing(
        _ stage: RepairStage, _ nodes: [TreePath], _ snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        var writes: [TreeWrite] = []
        for node in nodes { writes += try stage.missing(at: node, in: snapshot) }
        return writes
    }
}
