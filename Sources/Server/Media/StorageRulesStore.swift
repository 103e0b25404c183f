import Concurrency
package import Logging
import Model
import Rules
package import Tree
package import TreeModel
import Uploads

/// The storage rules in force: those stored in the tree, or else the default ones.
///
/// Readings and changes take turns, so that the last one puts the newest rules in force.
package final class StorageRulesStore: Sendable {
    /// Compiled storage rules.
    struct InForce: Sendable {
        /// The number of changes; 0 for the default rules.
        let version: Int64
        let text: String
        /// The stored text; different from ``text`` if it does not compile.
        let storedText: String
        let rules: StorageRules
        /// Whether everybody may fetch renditions, so that posts need no signed addresses.
        let areRenditionsPublic: Bool

        init(version: Int64, text: String, storedText: String? = nil, bucket: String) throws(TreeError) {
            rules = try StorageRules(text)
            (self.version, self.text, self.storedText) = (version, text, storedText ?? text)
            let example = "-/rendition/-/-"
            areRenditionsPublic =
                rules.judge(
                    .get, of: example, in: bucket,
                    by: RulesSubject(auth: nil, now: WallClock.now()),
                    resource: StorageResource(name: example, bucket: bucket, size: 1, contentType: "image/jpeg"),
                    newResource: nil
                ).isAllowed
        }
    }

    /// The rules that replace rules that do not compile.
    private static let nothing = "service firebase.storage {}"

    private let tree: TreeStore
    /// The name of the bucket in the rules.
    let bucket: String
    private let defaults: InForce
    /// The rules in force, whose changes can be awaited.
    let current: WatchedValue<InForce>
    private let turn = AsyncSemaphore(1)

    /// Creates a store with the default rules.
    ///
    /// - Parameter project: The project name of the service, after which the bucket is named.
    /// - Throws: `TreeError` if the default rules do not compile.
    package init(in tree: TreeStore, project: String) throws(TreeError) {
        self.tree = tree
        bucket = PublicBase.bucket(ofProject: project)
        defaults = try InForce(version: 0, text: DefaultRules.storage, bucket: bucket)
        current = WatchedValue(defaults)
    }

    /// The rules in force.
    var inForce: InForce { current.value }

    /// Loads the rules from the tree. Rules that do not compile allow nothing; this is logged.
    ///
    /// - Throws: The tree's failures.
    package func load(logger: Logger) async throws(TreeError) {
        try await read(logger: logger)
        try await note()
    }

    /// The work that puts the rules in force again at each change in the tree.
    package func follower(logger: Logger) -> TreeFollower {
        TreeFollower(of: ObjectNodes.rules(), in: tree) { try await self.read(logger: logger) }
    }

    private func read(logger: Logger) async throws(TreeError) {
        try await inTurn { () async throws(TreeError) in
            guard let (version, text) = try await stored() else { return defaults }
            let old = inForce
            guard version != old.version || text != old.storedText else { return old }
            do throws(TreeError) {
                return try InForce(version: version, text: text, bucket: bucket)
            } catch {
                logger.error(
                    "the storage rules do not compile, so only admins may fetch photos; set others with tintype rules set --storage-rules",
                    metadata: ["fault": "\(error.message)"])
                return try InForce(version: version, text: Self.nothing, storedText: text, bucket: bucket)
            }
        }
    }

    /// Stores in the tree whether the rules in force make renditions public: an earlier version of the service did not
    /// write it, or accepted rules that are now invalid.
    private func note() async throws(TreeError) {
        let (rules, path) = (inForce, ObjectNodes.rules() / "renditions_public")
        guard rules.version > 0 else { return }
        let value = TreeValue.bool(rules.areRenditionsPublic)
        guard try await tree.get(path) != value else { return }
        do throws(TreeError) {
            try await tree.set(path, to: value, if: [.equals(ObjectNodes.rules() / "version", .integer(rules.version))])
        } catch {
            // A concurrent change of the rules has stored its own value.
            guard error.code == .preconditionFailed else { throw error }
        }
    }

    /// Replaces the rules.
    ///
    /// - Throws: `TreeError` with code `invalid_rules` or `too_large` for invalid rules, and the tree's failures.
    package func set(_ text: String) async throws(TreeError) {
        try await inTurn { () async throws(TreeError) in
            while true {
                let version = try await stored()?.version
                let new = try InForce(version: (version ?? 0) + 1, text: text, bucket: bucket)
                do throws(TreeError) {
                    try await tree.set(
                        ObjectNodes.rules(),
                        to: [
                            "version": .integer(new.version), "text": .string(text),
                            "renditions_public": .bool(new.areRenditionsPublic),
                        ], if: [.equals(ObjectNodes.rules() / "version", version.map { .integer($0) })])
                    return new
                } catch {
                    guard error.code == .preconditionFailed else { throw error }
                }
            }
        }
    }

    /// Puts the rules in force that a body returns, while no other body runs.
    private func inTurn(_ body: () async throws(TreeError) -> InForce) async throws(TreeError) {
        guard await turn.wait() else { throw TreeError(.cancelled, "the task was cancelled") }
        defer { turn.signal() }
        let new = try await body()
        current.change { $0 = new }
    }

    private func stored() async throws(TreeError) -> (version: Int64, text: String)? {
        guard let fields = try await tree.get(ObjectNodes.rules())?.object else { return nil }
        guard case .integer(let version)? = fields["version"], let text = fields["text"]?.stringValue else {
            throw TreeError(.corrupt, "the storage rules in the tree are not readable", path: ObjectNodes.rules())
        }
        return (version, text)
    }
}
