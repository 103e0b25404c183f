import Logging
import TestSupport
import Testing

@testable import Social
@testable import Tree

/// Random people perform all operations, by routes and by the database at every depth, while jobs, deliveries and
/// restarts happen at random moments; a model in dictionaries contains the expected state.
@Suite struct SocialModelTests {
    private static let operationsOfAWorld = 160
    private static let operationsBetweenLooks = 8
    /// The numbers of notifications that are kept of one person: the real limit, or few.
    private static let limits = [NotificationLimit.maxNotifications, 8, 1]

    private struct Kind {
        let isOnDisk: Bool
        let maxNotifications: Int
    }

    @Test("28, 35: Effects of people's actions match those of a naive model, for all ways of writing")
    func agrees() async throws {
        let run = RandomRun(rounds: 960)
        var seeds = SeededGenerator(seed: run.seed)
        for world in 0..<max(1, run.rounds / Self.operationsOfAWorld) {
            let seed = world == 0 ? run.seed : seeds.next()
            var maker = SocialOperations(random: SeededGenerator(seed: seed))
            let kind = Kind(isOnDisk: world % 5 == 4, maxNotifications: maker.random.pick(Self.limits))
            let operations = maker.some(Self.operationsOfAWorld)
            guard let fault = try await Self.fault(of: operations, kind) else { continue }
            let few = try await Self.shrink(operations, kind)
            let last = try await Self.fault(of: few, kind) ?? fault
            let list = few.map { "\n    \($0)" }.joined()
            Issue.record("TINTYPE_SEED=\(seed) TINTYPE_OPERATIONS=\(Self.operationsOfAWorld): \(last)\nafter\(list)")
            return
        }
    }

    /// Performs the operations in a world of its own.
    ///
    /// - Returns: The first problem; nil without one.
    private static func fault(of operations: [SocialOperation], _ kind: Kind) async throws -> String? {
        guard kind.isOnDisk else { return try await fault(of: operations, kind) { MemoryEngine() } }
        return try await withScratch { scratch in
            try await fault(of: operations, kind) { try SQLiteEngine(path: scratch.path + "/tree.sqlite") }
        }
    }

    private static func fault(
        of operations: [SocialOperation], _ kind: Kind, engine: @escaping () throws -> any Engine
    ) async throws -> String? {
        let world = try await SocialWorld(
            isOnDisk: kind.isOnDisk, maxNotifications: kind.maxNotifications, engine: engine)
        do {
            try await play(operations, world)
        } catch {
            world.complain("the world throws \(error)")
        }
        await world.close()
        return world.problems.isEmpty ? nil : world.problems.prefix(5).joined(separator: "\n")
    }

    private static func play(_ operations: [SocialOperation], _ world: SocialWorld) async throws {
        for (number, operation) in operations.enumerated() {
            try await world.perform(operation)
            if !world.problems.isEmpty { return world.complain("in operation \(number): \(operation)") }
            guard number % operationsBetweenLooks == operationsBetweenLooks - 1 else { continue }
            try await world.compare()
            if number % (4 * operationsBetweenLooks) == 4 * operationsBetweenLooks - 1 { try await world.settle() }
            if !world.problems.isEmpty { return world.complain("after operation \(number): \(operation)") }
        }
        try await world.settle()
        try await world.drain()
        if world.problems.isEmpty { try await world.rebuild() }
    }

    /// Removes operations that the fault does not need, for a limited time.
    private static func shrink(_ all: [SocialOperation], _ kind: Kind) async throws -> [SocialOperation] {
        let end = ContinuousClock.now + .seconds(40)
        var (operations, size) = (all, all.count / 2)
        while size > 0, ContinuousClock.now < end {
            let count = operations.count
            var start = 0
            while start < operations.count, ContinuousClock.now < end {
                var fewer = operations
                fewer.removeSubrange(start..<min(start + size, fewer.count))
                if try await fault(of: fewer, kind) != nil { operations = fewer } else { start += size }
            }
            // Operations that were needed before may be superfluous now.
            size = size == 1 && operations.count < count ? 1 : size / 2
        }
        return operations
    }
}
