import API
import Concurrency
import Foundation
package import Logging
import Model
package import Tree

/// Delivers what people are told of to the operator's address or program: at least once, to each recipient in order,
/// and again later and later where that fails, until it is given up.
///
/// It may be stopped anywhere: a delivery leaves the outbox when it has succeeded, so that one that was cut off comes again,
/// under the same id.
package final class OutboxWorker: Sendable {
    /// Hands over one delivery, the JSON text of a ``DeliveryDocument``; throws where that fails.
    package typealias Carrier = @Sendable (_ json: [UInt8]) async throws -> Void

    /// How often a delivery is tried before it is given up: for about four hours.
    package static let maxAttempts = 16
    /// The longest time between two tries, in milliseconds.
    private static let longestDelay: Int64 = 3_600_000
    /// The most recipients to whom something is delivered at a time.
    private static let batch = 8
    /// The most deliveries to one recipient that are kept after they were given up.
    package static let maxDeadLetters = 100
    /// The longest text of a failure that is kept, in characters.
    private static let maxErrorCharacters = 500

    private let tree: TreeStore
    private let clock: @Sendable () -> Timestamp
    private let carrier: Carrier
    private let logger: Logger

    /// - Parameter clock: The present time.
    package init(
        _ tree: TreeStore, clock: @escaping @Sendable () -> Timestamp, logger: Logger, carrier: @escaping Carrier
    ) {
        self.tree = tree
        self.clock = clock
        self.logger = logger
        self.carrier = carrier
    }

    /// Works until the task is cancelled.
    package func run() async {
        await tree.work(round: runRound) {
            let next = try await tree.keys(of: OutboxNodes.queued(), limit: 1).first.map(OutboxQueue.time)
            return next.map { min(max($0 - clock(), .milliseconds(1)), .seconds(60)) } ?? .seconds(60)
        }
    }

    /// Delivers all that is due now.
    package func runAll() async throws {
        while try await runRound() {}
    }

    /// Makes the first delivery of some recipients of whom one is due.
    ///
    /// - Returns: Whether there was any.
    private func runRound() async throws -> Bool {
        let now = clock()
        let rows = try await tree.children(of: OutboxNodes.queued(), limit: Self.batch)
        let lanes = rows.filter { OutboxQueue.time(of: $0.key) <= now }.compactMap {
            $0.value.stringValue.map { TreeKey(unchecked: $0) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in Set(lanes) { group.addTask { try await self.deliverFirst(of: lane) } }
            try await group.waitForAll()
        }
        return !lanes.isEmpty
    }

    private func deliverFirst(of lane: TreeKey) async throws {
        let found = try await tree.snapshot { snapshot throws(TreeError) in
            try OutboxEntry.first(of: lane, in: snapshot).map { entry throws(TreeError) in
                (entry, try DeliveryDocument(entry, in: snapshot))
            }
        }
        guard let (entry, document) = found else { return try await advance(lane) { _, _ in } }
        var failure: String?
        do {
            try await carrier(document.json())
        } catch {
            // A try that was cut off was none.
            try Task.checkCancellation()
            failure = String("\(error)".prefix(Self.maxErrorCharacters))
        }
        let path = entry.id.path(below: OutboxNodes.entry())
        guard let failure else { return try await advance(lane) { _, update in update[path] = nil } }
        try await fail(entry, failure)
    }

    /// Notes a failure, and gives the delivery up if it is the last.
    private func fail(_ entry: OutboxEntry, _ error: String) async throws {
        let path = entry.id.path(below: OutboxNodes.entry())
        let isLast = entry.attempts + 1 >= Self.maxAttempts
        if isLast || entry.attempts == 0 {
            logger.warning(
                isLast ? "a notification was not delivered, and is given up" : "a notification is not delivered yet",
                metadata: ["delivery": "\(entry.id)", "fault": "\(error)"])
        }
        let delay = Backoff.milliseconds(afterAttempt: entry.attempts + 1, from: 1000, atMost: Self.longestDelay)
        let due = clock() + .milliseconds(delay)
        try await advance(entry.id.lane) { snapshot, update in
            // It may have been taken back meanwhile.
            guard try snapshot.exists(path) else { return }
            guard isLast else {
                update[path] = entry.failed(error, due: due)
                return
            }
            update[path] = nil
            let dead = OutboxNodes.deadLetter() / entry.id.lane
            let keys = try snapshot.keys(of: dead, limit: Self.maxDeadLetters)
            if keys.count == Self.maxDeadLetters, let oldest = keys.first { update[dead / oldest] = nil }
            update[entry.id.path(below: OutboxNodes.deadLetter())] = entry.failed(error, due: .epoch)
        }
    }

    /// Changes a lane's first delivery, and queues the lane for what is its first then.
    private func advance(
        _ lane: TreeKey, _ change: @escaping @Sendable (TreeSnapshot, inout MultiPathUpdate) throws -> Void
    ) async throws {
        let now = clock()
        try await tree.transact { snapshot, update in
            try change(snapshot, &update)
            let list = OutboxNodes.entry() / lane
            var rest: [TreeValue] = []
            for child in try snapshot.children(of: list, limit: 2) {
                if let record = update.values[list / child.key] ?? child.value { rest.append(record) }
            }
            let due = rest.first.map { max(now, $0["due"]?.timestampValue ?? .epoch) }
            update.add(try OutboxQueue.writes(for: lane, due: due, in: snapshot))
        }
    }
}

extension DeliveryDocument {
    /// What is delivered, with what is known now: the name of whoever has done it, and what the comment says.
    fileprivate init(_ entry: OutboxEntry, in snapshot: TreeSnapshot) throws(TreeError) {
        self.init(
            id: entry.id.description, to: entry.id.to,
            try NotificationDocument(entry.notification, id: entry.id.position, in: snapshot))
    }
}
