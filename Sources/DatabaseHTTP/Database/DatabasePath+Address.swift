import API
import Database
import Requests
import TreeModel

extension DatabasePath {
    /// Parses the path of an address, such as `/posts/-P6x/text.json`; `/.json` is the whole tree.
    ///
    /// Each segment is percent-decoded on its own; empty segments are dropped.
    ///
    /// - Throws: `Failure` with the code `invalid_path`.
    init(address path: String, in namespace: Namespace) throws(Failure) {
        var segments = path.utf8.dropLast(".json".utf8.count).split(separator: UInt8(ascii: "/"))
        let isPriority = segments.last?.elementsEqual(".priority".utf8) ?? false
        if isPriority { segments.removeLast() }
        guard segments.count <= TreePath.maxDepth else {
            throw Self.invalid("Use at most \(TreePath.maxDepth) keys: it has \(segments.count).")
        }
        var keys: [TreeKey] = []
        keys.reserveCapacity(segments.count)
        for segment in segments { keys.append(try Self.key(segment)) }
        self.init(TreePath(keys, in: namespace), isPriority: isPriority)
    }

    private static func key(_ segment: Substring.UTF8View) throws(Failure) -> TreeKey {
        guard let text = PercentEncoding.decode(segment) else { throw invalid("Percent-encode it as UTF-8.") }
        do {
            return try TreeKey(text)
        } catch {
            throw invalid("Use another key: \(error.message).")
        }
    }
}
