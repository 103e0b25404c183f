package import Logging
import Model
import Rules
import Synchronization
package import Tree
package import TreeModel
import Uploads

/// The storage rules in force: those stored in the tree, or else the default ones.
package final class StorageRulesStore: Sendable {
    /// Compiled storage rules.
    struct InForce: Sendable {
        /// The number of changes; 0 for the default rules.
        let version: Int64
        let text: String
        let rules: StorageRules
        /// Whether everybody may fetch renditions, so that posts need no signed addresses.
        let areRenditionsPublic: Bool

        init(version: Int64, text: String, bucket: String) throws(TreeError) {
            rules = try StorageRules(text)
            (self.version, self.text) = (version, text)
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
    private let current: Mutex<InForce>

    /// Creates a store with the default rules.
    ///
    /// - Parameter project: The project name of the service, after which the bucket is named.
    /// - Throws: `TreeError` if the default rules do not compile.
    package init(in tree: TreeStore, project: String) throws(TreeError) {
        self.tree = tree
        bucket = PublicBase.bucket(ofProject: project)
        current = Mutex(try InForce(version: 0, text: DefaultRules.storage, bucket: bucket))
    }

    /// The rules in force.
    var inForce: InForce { current.withLock(\.self) }

    /// Loads the rules from the tree. Rules that do not compile allow nothing; this is logged.
    ///
    /// - Throws: The tree's failures.
    package func load(logger: Logger) async throws(TreeError) {
        guard let (version, text) = try await stored() else { return }
        do throws(TreeError) {
            apply(try InForce(version: version, text: text, bucket: bucket))
        } catch {
            logger.error(
                "the storage rules do not compile, so only admins may fetch photos; set others with tintype rules set --storage-rules",
                metadata: ["fault": "\(error.message)"])
            apply(try InForce(version: version, text: Self.nothing, bucket: bucket))
        }
        try await note()
    }

    /// Stores in the tree whether the rules in force make renditions public: an earlier version of the service did not
    /// write it, or accepted rules that are now invalid.
    private func note() async throws(TreeError) {
        let (rules, path) = (inForce, ObjectNodes.rules() / "renditions_public")
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
                return apply(new)
            } catch {
                guard error.code == .preconditionFailed else { throw error }
            }
        }
    }

    /// Applies new rules; of two changes the later one stays, whichever arrives first.
    private func apply(_ new: InForce) {
        current.withLock { current in
            if new.version > current.version { current = new }
        }
    }

    private func stored() async throws(TreeError) -> (version: Int64, text: String)? {
        guard let fields = try await tree.get(ObjectNodes.rules())?.object else { return nil }
        guard case .integer(let version)? = fields["version"], let text = fields["text"]?.stringValue else {
            throw TreeError(.corrupt, "the storage rules in the tree are not readable", path: ObjectNodes.rules())
        }
        return (version, text)
    }
}
