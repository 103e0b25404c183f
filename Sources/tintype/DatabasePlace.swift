import ArgumentParser
import Tree

/// A place in one of the service's trees, as the command line names it.
struct DatabasePlace: Sendable {
    let path: TreePath
    private let namespace: String?

    /// Reads a path such as "posts/-P6x"; no path is the whole tree, no name the service's own tree.
    ///
    /// - Throws: `ValidationError` for what is no path.
    init(_ path: String?, namespace: String?) throws {
        do {
            self.path = try TreePath(path ?? "")
        } catch {
            throw ValidationError("\(path ?? "") is no path: \(error.complaint)")
        }
        self.namespace = namespace
    }

    private init(_ path: TreePath, _ namespace: String?) {
        self.path = path
        self.namespace = namespace
    }

    /// The place of a child.
    ///
    /// - Throws: `TreeError` when no child can be called so.
    func child(_ name: String) throws(TreeError) -> DatabasePlace {
        DatabasePlace(path / (try TreeKey(name)), namespace)
    }

    /// The path of the place's address.
    var address: String {
        "/" + path.keys.map { Service.percentEncoded($0.string) }.joined(separator: "/") + ".json"
    }

    /// What the address says beside the path.
    func query(_ more: [String: String]) -> [String: String?] {
        more.merging(namespace.map { ["ns": $0] } ?? [:]) { $1 }.mapValues(Optional.some)
    }
}
