import API
import Accounts
import Database
import Files
import Foundation
import Glibc
import HTTPTypes
import Keeping
import Logging
import Model
import Rules
import Server
import Service
import Store
import Tree

/// The service that is set up: the running one, or the store on which none runs.
struct InitPlace {
    /// A place that can be set up.
    enum Open {
        case service(APIClient, storage: String)
        /// The setup of an open store.
        case store(ServiceSetup, TreeStore, storage: String)
        /// The folder of a store that does not exist yet. It is created when all answers are there.
        case nothing(InitPlace)

        var isRunning: Bool { if case .service = self { true } else { false } }

        /// The storage folder.
        var path: String {
            switch self {
            case .service(_, let storage), .store(_, _, let storage): storage
            case .nothing(let place): place.storage
            }
        }
    }

    private let configuration: Configuration
    private let options: StorageOptions
    fileprivate let storage: String

    init(_ configuration: Configuration, _ options: StorageOptions) throws {
        (self.configuration, self.options) = (configuration, options)
        storage = try configuration.value(\.storage)
        guard try configuration.value(\.engine) != .memory else {
            throw ConfigurationError("a store in memory cannot be set up; leave out the setting engine")
        }
    }

    /// Runs a body with the running service or, when none runs, with the open store.
    ///
    /// - Throws: The errors of the body; `Failure` and the errors of opening the store.
    func use(_ body: (Open) async throws -> Void) async throws {
        let client = APIClient(storage: storage)
        do {
            _ = try await client.setUp(SetupOrderDocument(), isDryRun: true)
        } catch let error as Failure where error.code == .noService {
            let isThere = ["tree.sqlite", "tree.mark"].contains {
                FileManager.default.fileExists(atPath: "\(storage)/\($0)")
            }
            guard isThere else { return try await body(.nothing(self)) }
            return try await open { try await body($0) }
        }
        try await body(.service(client, storage: storage))
    }

    /// Opens the store, or creates it, for a body.
    fileprivate func open<R>(_ body: (Open) async throws -> R) async throws -> R {
        try requireOwner()
        let folder = try await StorageFolder.open(
            path: storage, engine: .sqlite, retention: try configuration.changeRetention(),
            publicBase: try configuration.publicBase(), logger: Logger(label: "tintype"))
        do {
            let tree = folder.tree
            try await tree.setRules(DefaultRules.database, onlyIfNone: true)
            let project = try configuration.value(\.namespace, of: DatabaseSettings())
            let rules = try StorageRulesStore(in: tree, project: project)
            try await rules.load(logger: Logger(label: "tintype"))
            let accounts = AdminSetup(
                store: AccountStore(tree: tree, updatePerson: AccountPerson.write),
                passwords: PasswordHasher(atATime: 1))
            let result = try await body(.store(ServiceSetup(of: tree, accounts, rules), tree, storage: storage))
            await folder.close()
            return result
        } catch {
            await folder.close()
            throw error
        }
    }

    /// Refuses to let root write files that the user of the service could not open.
    ///
    /// - Throws: `Failure` with the code `permission`.
    private func requireOwner() throws {
        let folder = try? FileManager.default.attributesOfItem(atPath: storage)
        guard geteuid() == 0, let owner = folder?[.ownerAccountID] as? Int, owner != 0 else { return }
        let name = folder?[.ownerAccountName] as? String ?? "#\(owner)"
        throw Failure(
            .permission, "no service runs, and \(storage) belongs to the user \(name)",
            hint: "Start the service first, or run this command as that user: sudo -u '\(name)' tintype init.")
    }
}

extension InitPlace.Open {
    /// Runs a body with the place, whose store is created first if it does not exist.
    func opened(_ body: (InitPlace.Open) async throws -> Void) async throws {
        guard case .nothing(let place) = self else { return try await body(self) }
        try await place.open(body)
    }

    /// Whether the store has no people, accounts and posts.
    var isNew: Bool {
        get async throws {
            if case .nothing = self { return true }
            return try await setUp(SetupOrderDocument(), isDryRun: true).isNew
        }
    }

    /// Sets the rules of a preset, and makes an admin.
    func setUp(_ order: SetupOrderDocument, isDryRun: Bool) async throws -> SetupDocument {
        switch self {
        case .service(let client, _): return try await client.setUp(order, isDryRun: isDryRun)
        case .store(let setup, _, _):
            let order = ServiceSetup.Order(
                preset: order.preset.flatMap { RulesPreset(rawValue: $0) }, email: order.email,
                password: order.password)
            guard let (outcome, _) = try await setup.run(order, isDryRun: isDryRun) else { throw CancellationError() }
            return outcome
        case .nothing(let place): return try await place.open { try await $0.setUp(order, isDryRun: isDryRun) }
        }
    }

    /// Returns the changes that a preset makes to the database rules, as lines for people.
    func changes(to preset: RulesPreset) async throws -> [String] {
        let earlier: String?
        switch self {
        case .service(let client, _):
            earlier = String(
                decoding: try await client.send(.get, RulesCommand.Target.address), as: UTF8.self)
        case .store(_, let tree, _): earlier = try await tree.rules()
        case .nothing: earlier = nil
        }
        // Rules that an earlier version accepted may no longer be valid.
        guard let earlier, let rules = try? RulesDocument(earlier) else { return [] }
        return try RulesDocument(preset.database).changes(since: rules).map(\.words)
    }

    /// Returns the address of the running service's page, without a slash at its end; nil if it listens on no port, or
    /// none runs.
    func page() async throws -> String? {
        guard case .service(let client, _) = self else { return nil }
        return try await client.read(.get, "/v1/operations", as: OperationsDocument.self).pages.first
    }

    /// Lets the running service read its settings again; returns the settings that differ.
    func reload() async throws -> [SettingsChange] {
        guard case .service(let client, _) = self else { return [] }
        return try await ReloadDocument.request(client, isDryRun: false).settings
    }
}

extension APIClient {
    /// Sends the order of a setup.
    fileprivate func setUp(_ order: SetupOrderDocument, isDryRun: Bool) async throws -> SetupDocument {
        try await read(.post, "/v1/setup", query: ["dry_run": isDryRun ? "true" : nil], json: order)
    }
}
