package import Logging
import Model
import Rules
import Synchronization
package import Tree
package import TreeModel
import Uploads

/// The storage rules that are in force: those that somebody has set, which the tree keeps, or the default ones.
package final class StorageRulesStore: Sendable {
    /// Storage rules, ready for use.
    struct InForce: Sendable {
        /// Counts the changes; 0 while nobody has set any.
        let version: Int64
        let text: String
        let rules: StorageRules
        /// Whether everybody may fetch renditions, so that posts need not be told with signed addresses.
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

    /// What rules that do not compile are taken for.
    private static let nothing = "service firebase.storage {}"

    private let tree: TreeStore
    /// The name of the bucket to the rules.
    let bucket: String
    private let current: Mutex<InForce>

    /// Begins with the default rules.
    ///
    /// - Parameter project: The name of the service among its clients, after which the bucket is named.
    /// - Throws: `TreeError` when the default rules are none.
    package init(in tree: TreeStore, project: String) throws(TreeError) {
        self.tree = tree
        bucket = PublicBase.bucket(ofProject: project)
        current = Mutex(try InForce(version: 0, text: DefaultRules.storage, bucket: bucket))
    }

    /// The rules that are in force.
    var inForce: InForce { current.withLock(\.self) }

    /// Takes the rules that the tree has. Those that do not compile allow nothing, and the log says so.
    ///
    /// - Throws: The tree's failures.
    package func load(logger: Logger) async throws(TreeError) {
        guard let (version, text) = try await stored() else { return }
        do throws(TreeError) {
            apply(try InForce(version: version, text: text, bucket: bucket))
        } catch {
            logger.error(
                "the storage rules do not compile, so nobody but admins may fetch a photo; set others with tintype rules set --storage-rules",
                metadata: ["fault": "\(error.message)"])
            apply(try InForce(version: version, text: Self.nothing, bucket: bucket))
        }
        try await note()
    }

    /// Has the tree know what the rules in force say of renditions: an earlier version of the service did not write it, or took
    /// for rules what are none any more.
    private func note() async throws(TreeError) {
        let (rules, path) = (inForce, ObjectNodes.rules() / "renditions_public")
        let value = TreeValue.bool(rules.areRenditionsPublic)
        guard try await tree.get(path) != value else { return }
        do throws(TreeError) {
            try await tree.set(path, to: value, if: [.equals(ObjectNodes.rules() / "version", .integer(rules.version))])
        } catch {
            // Whoever set others meanwhile has written what these say.
            guard error.code == .preconditionFailed else { throw error }
        }
    }

    /// Replaces the rules.
    ///
    /// - Throws: `TreeError` with code `invalid_rules` or `too_large` for what are no rules, and the tree's failures.
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

    /// Of two changes the later one stays, whichever is heard of first.
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
