import Access
import Accounts
import Concurrency
import Keeping
import Logging
import Model
import Outgoing
import Rules
import ServiceLifecycle
import Store
import TestSupport
import Testing
import Tree

@testable import Server
@testable import Service

@Suite("Places that the service follows", .timeLimit(.minutes(10)))
struct FollowingTests {
    private static let closed = "service firebase.storage {}"
    private static let open = DefaultRules.storage + "\n// of another host"

    /// A state of the stored rules, and what is in force then.
    struct Case: Sendable {
        let stored: TreeValue?
        let version: Int64
        let text: String
        let isPublic: Bool
        /// Whether the operator learns of them.
        var isLogged = false
    }

    static let cases = [
        Case(stored: ["version": 1, "text": .string(closed)], version: 1, text: closed, isPublic: false),
        Case(stored: ["version": 2, "text": .string(open)], version: 2, text: open, isPublic: true),
        Case(
            stored: ["version": 9, "text": "service of a later version"], version: 9, text: closed, isPublic: false,
            isLogged: true),
        Case(stored: ["version": 3, "text": .string(open)], version: 3, text: open, isPublic: true),
        Case(stored: nil, version: 0, text: DefaultRules.storage, isPublic: true),
        Case(stored: ["version": 1, "text": .string(closed)], version: 1, text: closed, isPublic: false),
    ]

    @Test("Storage rules that another host stores are in force at once, also older ones or none")
    func storageRules() async throws {
        let tree = try await TreeStore(engine: MemoryEngine())
        let (rules, log) = (try StorageRulesStore(in: tree, project: "tintype"), RecordingLog())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await rules.follower(logger: log.logger).run { Issue.record($0) } }
            for item in Self.cases {
                let count = log.entries.count
                try await tree.set(ObjectNodes.rules(), to: item.stored)
                await rules.wait { $0.version == item.version && $0.text == item.text }
                #expect(rules.inForce.areRenditionsPublic == item.isPublic, "\(item)")
                // Other parts of the node change nothing.
                if item.stored != nil { try await tree.set(ObjectNodes.rules() / "renditions_public", to: true) }
                try await rules.load(logger: log.logger)
                #expect(log.entries.count == count + (item.isLogged ? 1 : 0), "\(item)")
            }
            let others = try StorageRulesStore(in: tree, project: "tintype")
            for number in 0..<20 {
                async let other: Void = others.set(Self.open)
                try await rules.set(Self.closed + "\n// \(number)")
                try await other
                let version = try await tree.get(ObjectNodes.rules() / "version")?.integerValue
                await rules.wait { $0.version == version }
            }
            try await others.set(Self.open + "\n// last")
            await rules.wait { $0.text == Self.open + "\n// last" }
            group.cancelAll()
        }
        await tree.close()
    }

    @Test("Storage rules that cannot be read leave the known ones in force, until they can be read")
    func damagedRules() async throws {
        let tree = try await TreeStore(engine: MemoryEngine())
        let (rules, logger) = (try StorageRulesStore(in: tree, project: "tintype"), RecordingLog().logger)
        let (failures, failure) = AsyncStream.makeStream(of: Void.self)
        try await rules.set(Self.closed)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var follower = rules.follower(logger: logger)
                follower.longestDelay = 1
                await follower.run { _ in failure.yield() }
            }
            for stored in [["version": "x", "text": ""], ["version": 7], ["text": .string(Self.open)]] as [TreeValue] {
                try await tree.set(ObjectNodes.rules(), to: stored)
                var iterator = failures.makeAsyncIterator()
                await iterator.next()
                #expect(rules.inForce.text == Self.closed, "\(stored)")
                for text in [Self.open, Self.closed] {
                    try await tree.set(ObjectNodes.rules(), to: ["version": 8, "text": .string(text)])
                    await rules.wait { $0.text == text }
                }
            }
            group.cancelAll()
        }
        await tree.close()
    }

    @Test("The service follows revocations, keys and rules while it runs")
    func service() async throws {
        try await withScratch { scratch in
            let storage = try await StorageFolder.open(path: scratch.path + "/Storage", engine: .memory)
            let logger = RecordingLog().logger
            let settings = AccountSettings(
                identity: IdentitySettings(actionURL: "http://localhost/account"), issuers: [], serviceAccounts: [],
                delivery: nil, origin: "")
            let setup = try await AccountSetup(
                in: storage, settings, access: AccessControl.Settings(peers: try PeerPolicy()), project: "tintype",
                site: CurrentSite(), OutgoingClient(), logger: logger)
            let followers = setup.services.compactMap { $0 as? AccountFollowing }.flatMap(\.followers)
            #expect(
                Set(followers.map(\.path)) == [
                    AccountNodes.revocation(), AccountNodes.keys(), AccountNodes.adminKey(), AccountNodes.mediaKeys(),
                    ObjectNodes.rules(),
                ])
            let group = ServiceGroup(
                configuration: .init(services: setup.services, gracefulShutdownSignals: [], logger: logger))
            try await withServices(group) {
                for item in Self.cases where !item.isLogged {
                    try await storage.tree.set(ObjectNodes.rules(), to: item.stored)
                    await setup.media.rules.wait { $0.version == item.version && $0.text == item.text }
                }
            }
            await storage.close()
        }
    }
}

extension StorageRulesStore {
    /// Waits until the rules in force fulfil a condition.
    fileprivate func wait(until isReached: @Sendable (InForce) -> Bool) async {
        while !isReached(inForce), !Task.isCancelled { await current.wait(unless: isReached) }
    }
}
