import API
import ArgumentParser
import Tree

/// A location in one of the service's trees, in the form of the command line.
struct DatabaseReference: Sendable {
    let path: TreePath
    private let namespace: String?

    /// Parses a path such as "posts/-P6x". Without a path it is the whole tree; without a namespace, the service's own
    /// tree.
    ///
    /// - Throws: `ValidationError` when the path is not valid.
    init(_ path: String?, namespace: String?) throws {
        do {
            self.path = try TreePath(path ?? "")
        } catch {
            throw ValidationError("\(path ?? "") is not a valid path: \(error.messageWithHint)")
        }
        self.namespace = namespace
    }

    private init(_ path: TreePath, _ namespace: String?) {
        self.path = path
        self.namespace = namespace
    }

    /// Returns the location of a child.
    ///
    /// - Throws: `TreeError` when the name is not valid.
    func child(_ name: String) throws(TreeError) -> DatabaseReference {
        DatabaseReference(path / (try TreeKey(name)), namespace)
    }

    /// The path of the location's URL in the service, percent-encoded.
    var address: String {
        "/" + path.keys.map { $0.string.percentEncoded }.joined(separator: "/") + ".json"
    }

    /// The path of the URL of the location's priority.
    var priorityAddress: String { path.isRoot ? "/.priority.json" : "\(address.dropLast(5))/.priority.json" }

    /// Returns the query of the location's URL, with more parameters.
    func query(_ more: [String: String]) -> [String: String?] {
        more.merging(namespace.map { ["ns": $0] } ?? [:]) { $1 }.mapValues(Optional.some)
    }
}
