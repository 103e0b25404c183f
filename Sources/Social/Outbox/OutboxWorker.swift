import API
import Concurrency
import Foundation
package import Logging
import Model
package import Tree

/// Delivers notifications to the operator's address or program: at least once, to each recipient in order, with a
/// growing delay after failures, until a delivery is given up.
///
/// It may be stopped at any point: a delivery leaves the outbox only after it has succeeded, so an interrupted one is
/// repeated under the same id.
package final class OutboxWorker: Sendable {
    /// Sends one delivery, the JSON text of a ``DeliveryDocument``; throws if that fails.
    package typealias Carrier = @Sendable (_ json: [UInt8]) async throws -> Void

    /// The end of an attempt to deliver.
    package enum Outcome: String, Sendable, CaseIterable {
        case delivered
        /// It will be tried again.
        case failed
        case givenUp = "given-up"
    }

    /// The number of attempts before a delivery is given up, which takes about four hours.
    package static let maxAttempts = 16
    /// The longest time between two attempts, in milliseconds.
    private static let longestDelay: Int64 = 3_600_000
    /// The number of recipients that are served at a time.
    private static let batch = 8
    /// The number of dead letters that are kept for each recipient.
    package static let maxDeadLetters = 100
    /// The longest stored text of a failure, in characters.
    private static let maxErrorCharacters = 500

    private let tree: TreeStore
    private let clock: @Sendable () -> Timestamp
    private let carrier: Carrier
    private let logger: Logger
    private let onEnd: @Sendable (Outcome) -> Void

    /// - Parameters:
    ///   - clock: Returns the current time.
    ///   - onEnd: Is called after each attempt.
    package init(
        _ tree: TreeStore, clock: @escaping @Sendable () -> Timestamp, logger: Logger,
        onEnd: @escaping @Sendable (Outcome) -> Void = { _ in }, carrier: @escaping Carrier
    ) {
        self.tree = tree
        self.clock = clock
        self.logger = logger
        self.carrier = carrier
        self.onEnd = onEnd
    }

    /// Works until the task is cancelled.
    package func run() async {
        await tree.work(round: runRound) {
            let next = try await tree.keys(of: OutboxNodes.queued(), limit: 1).first.map(OutboxQueue.time)
            return next.map { min(max($0 - clock(), .milliseconds(1)), .seconds(60)) } ?? .seconds(60)
        }
    }

    /// Performs all deliveries that are due now.
    package func runAll() async throws {
        while try await runRound() {}
    }

    /// Performs the first delivery of some recipients for whom one is due.
    ///
    /// - Returns: Whether any was due.
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
            // A cancelled attempt does not count.
            try Task.checkCancellation()
            failure = String("\(error)".prefix(Self.maxErrorCharacters))
        }
        let path = entry.id.path(below: OutboxNodes.entry())
        guard let failure else {
            onEnd(.delivered)
            return try await advance(lane) { _, update in update[path] = nil }
        }
        try await fail(entry, failure)
    }

    /// Records a failure, and gives the delivery up after the last attempt.
    private func fail(_ entry: OutboxEntry, _ error: String) async throws {
        let path = entry.id.path(below: OutboxNodes.entry())
        let isLast = entry.attempts + 1 >= Self.maxAttempts
        onEnd(isLast ? .givenUp : .failed)
        if isLast || entry.attempts == 0 {
            logger.warning(
                isLast ? "a notification was not delivered, and is given up" : "a notification is not delivered yet",
                metadata: ["delivery": "\(entry.id)", "fault": "\(error)"])
        }
        let delay = Backoff.milliseconds(afterAttempt: entry.attempts + 1, from: 1000, atMost: Self.longestDelay)
        let now = clock()
        try await advance(entry.id.lane) { snapshot, update in
            // The notification may have been withdrawn in the meantime.
            guard try snapshot.exists(path) else { return }
            guard isLast else {
                update[path] = entry.failed(error, at: now, due: now + .milliseconds(delay))
                return
            }
            update[path] = nil
            let dead = OutboxNodes.deadLetter() / entry.id.lane
            let keys = try snapshot.keys(of: dead, limit: Self.maxDeadLetters)
            if keys.count == Self.maxDeadLetters, let oldest = keys.first { update[dead / oldest] = nil }
            update[entry.id.path(below: OutboxNodes.deadLetter())] = entry.failed(
                error, at: now, due: .epoch)
        }
    }

    /// Changes a lane's first delivery, and queues the lane for its next one.
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
    /// Creates the document of a delivery with current data: the name of the actor, and the text of the comment.
    fileprivate init(_ entry: OutboxEntry, in snapshot: TreeSnapshot) throws(TreeError) {
        self.init(
            id: entry.id.description, to: entry.id.to,
            try NotificationDocument(entry.notification, id: entry.id.position, in: snapshot))
    }
}
