import API
import HTTPTypes
import Tree

/// A place in a tree, as an address names it.
struct DatabasePath: Sendable {
    /// The node that the address names.
    let node: TreePath
    /// Whether its priority is meant, and not the node itself.
    let isPriority: Bool

    /// Reads the path of an address, such as `/posts/-P6x/text.json`; `/.json` is the whole tree.
    ///
    /// Each segment is percent-decoded by itself; empty ones collapse.
    ///
    /// - Throws: `Failure` with the code `invalid_path`.
    init(path: String, in namespace: Namespace) throws(Failure) {
        var segments = path.utf8.dropLast(".json".utf8.count).split(separator: UInt8(ascii: "/"))
        isPriority = segments.last?.elementsEqual(".priority".utf8) ?? false
        if isPriority { segments.removeLast() }
        guard segments.count <= TreePath.maxDepth else {
            throw Self.invalid("it has \(segments.count) keys, the limit is \(TreePath.maxDepth)")
        }
        var keys: [TreeKey] = []
        keys.reserveCapacity(segments.count)
        for segment in segments { keys.append(try Self.key(segment)) }
        node = TreePath(keys, in: namespace)
    }

    private static func key(_ segment: Substring.UTF8View) throws(Failure) -> TreeKey {
        guard let text = PercentEncoding.decode(segment) else { throw invalid("it is not UTF-8") }
        do {
            return try TreeKey(text)
        } catch {
            throw invalid(error.message)
        }
    }

    static func invalid(_ complaint: String) -> Failure {
        Failure(.invalidPath, "Invalid path: Invalid token in path", hint: complaint)
    }
}

extension HTTPRequest {
    /// Whether the request is for the database: its path ends in `.json`, which none of the service's own does.
    var isForDatabase: Bool {
        guard let target = path?.utf8 else { return false }
        return target.prefix { $0 != UInt8(ascii: "?") }.suffix(5).elementsEqual(".json".utf8)
    }

    /// Whether the path is one of the service's own.
    var isForService: Bool {
        guard let path = path?.utf8, !isForDatabase else { return false }
        return path.starts(with: "/v1/".utf8) || path.starts(with: "/media/".utf8)
    }
}
