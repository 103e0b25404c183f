import API
import Logging
import Synchronization
import TestSupport

@testable import Model
@testable import Social
@testable import Tree

/// A tree in which people use all operations, beside the model with the expected state.
final class SocialWorld {
    var model: NaiveSocial
    private(set) var tree: TreeStore
    private(set) var worker: FollowUpTaskWorker
    /// The problems found so far.
    var problems: [String] = []
    let clock = TestClock()
    private let receiver = Receiver()
    private var ids: PushIDGenerator
    private let makeEngine: () throws -> any Engine
    private let isOnDisk: Bool
    private let maxNotifications: Int
    private var repairs = 0

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// - Parameter maxNotifications: The number of notifications that are kept of one person.
    init(
        isOnDisk: Bool, maxNotifications: Int = NotificationLimit.maxNotifications,
        engine: @escaping () throws -> any Engine
    ) async throws {
        makeEngine = engine
        self.isOnDisk = isOnDisk
        self.maxNotifications = maxNotifications
        let clock = clock
        model = NaiveSocial(now: clock.now.milliseconds)
        tree = try await Self.open(try engine(), maxNotifications, clock)
        worker = FollowUpTaskWorker(tree, clock: { clock.now }, logger: Self.logger)
        ids = PushIDGenerator(clock: { clock.now })
    }

    private static func open(
        _ engine: any Engine, _ maxNotifications: Int, _ clock: TestClock
    ) async throws -> TreeStore {
        try await TreeStore(
            engine: engine, derivations: SocialDerivations.strata(maxNotifications: maxNotifications),
            constraints: SocialDerivations.constraints, isMaintained: false, clock: { clock.now })
    }

    func close() async { await tree.close() }

    func complain(_ text: String) { problems.append(text) }

    // MARK: Operations

    func perform(_ operation: SocialOperation) async throws {
        model.now = clock.now.milliseconds
        try await dispatch(operation)
        for uid in SocialOperations.people where model.told.lists[uid, default: []].count > maxNotifications {
            let there = Set(try await rows(of: uid).map(\.subject))
            model.told.keep(maxNotifications, of: uid) { there.contains($0) }
        }
    }

    private func dispatch(_ operation: SocialOperation) async throws {
        switch operation {
        case .write(let writes): try await write(writes)
        case .publish(let post, let author, let text, let mentions):
            try await publish(post, author, text, NaiveNotifications.records(of: mentions))
        case .deliver(let percent): try await deliver(failing: percent)
        case .outbox(let isOn):
            try await Outbox(tree, clock: { 0 }).setOn(isOn)
            model.told.isDelivering = isOn
        case .jobs:
            try await worker.runAll()
            try await observeJobs()
            if try await tree.get(WorkNodes.followUpTask()) != nil { complain("jobs are left") }
        case .jobRound:
            _ = try await worker.runRound()
            try await observeJobs()
        case .feed(let uid, let bounds, let limit): try await expectFeed(of: uid, Self.bounds[bounds], limit: limit)
        case .repair:
            repairs += 1
            let version = TreePath([TreeKey(unchecked: "v\(repairs)")], in: Namespace(reserved: "test"))
            try await SocialRepair(tree, version: version, logger: Self.logger).run()
            model.restoreLists()
        case .restart:
            guard isOnDisk else { return }
            await tree.close()
            let clock = clock
            tree = try await Self.open(try makeEngine(), maxNotifications, clock)
            worker = FollowUpTaskWorker(tree, clock: { clock.now }, logger: Self.logger)
        case .wait(let milliseconds): clock.advance(by: .milliseconds(milliseconds))
        default: try await ask(operation)
        }
    }

    /// Bounds: a few posts exceed all, some, or none of them.
    static let bounds = [
        FeedBounds(
            maxPosts: 4, maxSearches: 3, rowsPerFollowee: 1, scannedRows: 3...6, fewRows: 2, rowsWorthAMark: 2,
            maxSteps: 2),
        FeedBounds(
            maxPosts: 40, maxSearches: 10, rowsPerFollowee: 1, scannedRows: 3...6, fewRows: 2, rowsWorthAMark: 2,
            maxSteps: 2),
        FeedBounds(),
    ]

    private func write(_ writes: [NaiveWrite]) async throws {
        var update = MultiPathUpdate()
        for write in writes { update[TreePath(NaiveTree.keys(write.path))] = write.value }
        let isRefused = model.refuses(writes)
        do {
            try await tree.update(update)
        } catch {
            guard isRefused, error.code == .invalidValue else { throw error }
            return
        }
        if isRefused { complain("an update at a used id was accepted") }
        model.apply(writes)
    }

    private func publish(_ post: String, _ author: String, _ text: String, _ mentions: TreeValue?) async throws {
        guard let id = PostID(post), let uid = UserID(author) else { return }
        let (hadPost, hadPerson) = (model.exists("posts/\(post)"), model.exists("people/\(author)/full_name"))
        // A reservation is for one post.
        guard !hadPost else { return }
        let person = person(uid)
        var update = MultiPathUpdate()
        try Post(
            id: id, author: person, text: text, mentions: mentions, timestamp: 9, photos: [], clientReference: nil
        ).write(to: &update)
        if !hadPerson { person.write(to: &update) }
        try await tree.update(update)
        var record: [TreeKey: TreeValue] = ["kind": "text", "timestamp": 9, "author": person.author]
        if !text.isEmpty { record["text"] = .string(text) }
        record["mentions"] = mentions
        var writes = [NaiveWrite("posts/\(post)", .object(record)), NaiveWrite("people/\(author)/posts/\(post)", true)]
        writes += (NaiveWords.tags(.object(record))).map { NaiveWrite("hashtags/\($0)/\(post)", true) }
        if !hadPerson {
            writes.append(NaiveWrite("people/\(author)/full_name", .string(author)))
            writes.append(NaiveWrite("people/\(author)/profile_picture", person.profilePicture.map(TreeValue.string)))
        }
        model.apply(writes)
    }

    // MARK: The outbox

    /// A receiver that refuses some deliveries.
    private final class Receiver: Sendable {
        struct Refusal: Error {}

        private struct State {
            var taken: [DeliveryDocument] = []
            var percent = 0
            var random = SeededGenerator(seed: 1)
        }

        private let state = Mutex(State())

        func begin(failing percent: Int) { state.withLock { ($0.taken, $0.percent) = ([], percent) } }

        func take(_ json: [UInt8]) throws {
            let document = try DeliveryDocument(json: .init(json))
            try state.withLock { state in
                guard !state.random.chance(state.percent) else { throw Refusal() }
                state.taken.append(document)
            }
        }

        var taken: [DeliveryDocument] { state.withLock { $0.taken } }
    }

    /// Delivers what is due. An accepted delivery must be the first that waits for its recipient.
    private func deliver(failing percent: Int) async throws {
        let (clock, receiver) = (clock, receiver)
        receiver.begin(failing: percent)
        let worker = OutboxWorker(tree, clock: { clock.now }, logger: Self.logger) { try receiver.take($0) }
        try await worker.runAll()
        for document in receiver.taken {
            let lane = document.to ?? "+"
            let subject = NaiveNotifications.Subject(
                kind: document.kind, actor: document.announcement == nil ? document.actor?.uid ?? "" : "",
                post: document.post ?? "", comment: document.comment ?? "", announcement: document.announcement ?? "")
            let waiting = model.told.outbox[lane, default: []]
            guard let first = waiting.first, let index = waiting.firstIndex(where: { $0.subject == subject }),
                waiting[index].commit == first.commit
            else {
                complain("\(lane) was sent \(subject), expected \(waiting.map(\.subject))")
                continue
            }
            expectText(document.text, of: subject)
            model.told.outbox[lane]?.remove(at: index)
        }
    }

    /// Delivers everything that waits.
    func drain() async throws {
        for _ in 0..<3 {
            clock.advance(by: .seconds(4000))
            model.now = clock.now.milliseconds
            try await deliver(failing: 0)
        }
        for (lane, waiting) in model.told.outbox where !waiting.isEmpty {
            complain("\(lane) was not sent \(waiting.map(\.subject))")
        }
        for path in [OutboxNodes.entry(), OutboxNodes.head(), OutboxNodes.queued()] {
            if let rest = try await tree.get(path) { complain("\(path) has \(rest)") }
        }
    }

    /// Returns a person with the model's data.
    func person(_ uid: UserID) -> Person {
        Person(
            uid: uid, fullName: model.main.text("people/\(uid)/full_name"),
            profilePicture: model.main.text("people/\(uid)/profile_picture"))
    }

    /// Returns the generator of the routes' ids.
    func nextID() -> PushIDGenerator { ids }
}
