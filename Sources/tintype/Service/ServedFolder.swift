import Database
import Failpoints
import Keeping
import Logging
import Model
import Service
import Store
import Tree

/// The Storage folder that is served: the operator's, or a temporary one with a tree in memory.
struct ServedFolder: Sendable {
    private let configuration: Configuration
    private let engine: StorageFolder.TreeEngine
    private let seed: String?
    private let rules: String?

    /// - Parameters:
    ///   - seed: The path of the JSON that a tree in memory starts with; nil for an empty tree.
    ///   - rules: The path of the rules that replace the tree's; nil for the tree's own.
    /// - Throws: `ConfigurationError` when a seed is given for a tree that is stored on disk.
    init(_ configuration: Configuration, seed: String?, rules: String?) throws {
        engine = try configuration.value(\.engine)
        guard seed == nil || engine == .memory else {
            throw ConfigurationError("--seed needs --engine memory; use \"tintype tree import\" for a tree on disk")
        }
        self.configuration = configuration
        self.seed = seed
        self.rules = rules
    }

    /// Opens the folder for a body, and closes it afterwards; a temporary folder is then deleted.
    ///
    /// - Throws: `ConfigurationError` for a seed or rules that cannot be used; the errors of opening the folder and of
    ///   the body.
    func open(_ log: ServiceLog, _ body: (StorageFolder) async throws -> Void) async throws {
        let isTemporary = engine == .memory && configuration.isDefault(\.storage)
        let folder = isTemporary ? try TemporaryFolder() : nil
        defer { folder?.remove() }
        let path = try folder?.path ?? configuration.value(\.storage)
        let storage = try await StorageFolder.open(
            path: path, engine: engine, retention: try configuration.changeRetention(),
            publicBase: try configuration.publicBase(), logger: log.logger)
        if let seed { try await SeedFile(path: seed).load(into: storage.tree) }
        if let rules { try await SeedFile(path: rules).loadRules(into: storage.tree) }
        // An emulator is open to all until rules are set.
        if try !configuration.databaseSettings().isEmulator {
            try await storage.tree.setRules(DefaultRules.database, onlyIfNone: true)
        }
        if Failpoint.isOn { log.logger.warning("TINTYPE_FAILPOINTS is set: failpoints are active in this process") }
        if engine == .memory { log.announce("the tree is in memory, and is lost when the service ends") }
        try await body(storage)
        await storage.close()
    }
}
