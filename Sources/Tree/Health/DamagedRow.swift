/// A damaged row of a tree or of the change log: its bytes cannot have been written by the store. Other rows are not
/// affected.
///
/// It is the ``TreeError/cause`` of the error. If the row belongs to a tree, the error has its path.
package struct DamagedRow: Error, Hashable {
    /// The key of the row.
    package let key: [UInt8]
    /// The current bytes of the row; nil if it has none.
    package let value: [UInt8]?

    var isOfChangeLog: Bool { key.first == StoreFormat.changeLogKeyspace }

    /// Whether the row is the priority of the node at its path instead of the leaf.
    package var isPriority: Bool { key.last == PathEncoding.priorityTag }
}

extension TreeError {
    /// The damaged row; nil for other errors, including damage of the store as a whole.
    package var damagedRow: DamagedRow? { cause as? DamagedRow }

    /// Whether the error is damage at a known position, so that the rest of the store can be trusted.
    var isDamageOfPlace: Bool { code == .corrupt && (path != nil || damagedRow != nil) }

    /// Creates the error for a damaged row. It concerns only the row if the row belongs to a tree or to the change log;
    /// otherwise it concerns the store.
    ///
    /// - Parameters:
    ///   - reason: A description of the damage, as a clause.
    ///   - value: The current bytes of the row; nil if it has none.
    static func damaged(_ reason: String, key: [UInt8], value: [UInt8]?) -> TreeError {
        let message = "\(reason) (\(StoreFormat.place(of: key)))"
        let row = DamagedRow(key: key, value: value)
        if let path = StoreFormat.path(ofRow: key) {
            return TreeError(.corrupt, message, path: path, hint: hint(for: path), cause: row)
        }
        guard row.isOfChangeLog else { return .corrupt(message) }
        return TreeError(
            .corrupt, message, hint: "Wait until the changes up to it are removed, then start the service again.",
            cause: row)
    }

    /// Returns the error with the row in which the damage was found, unless it already has a position.
    func met(inRow key: Span<UInt8>, _ value: Span<UInt8>) -> TreeError {
        guard code == .corrupt, !isDamageOfPlace else { return self }
        return .damaged(message, key: key.copied, value: value.copied)
    }

    /// Returns the error with the key at which the read began, unless it already has a position.
    func met(readingFrom key: [UInt8]) -> TreeError {
        guard code == .corrupt, !isDamageOfPlace else { return self }
        return TreeError(code, "\(message), reading from \(StoreFormat.place(of: key))", hint: hint, cause: cause)
    }

    private static func hint(for path: TreePath) -> String {
        let parts = "\(path)".split(separator: "'", omittingEmptySubsequences: false)
        let quoted = "'\(parts.joined(separator: "'\\''"))'"
        let tree = path.namespace == .main ? "" : " --ns \(path.namespace)"
        return "Stop the service, then drop or replace this row: tintype store repair --row \(quoted)\(tree) --drop."
    }
}

extension StoreFormat {
    /// The largest number of bytes of a key that are shown.
    private static let maxShownBytes = 96

    /// Returns the path of the node that the row belongs to, as a leaf or priority; nil for rows outside trees and for
    /// malformed keys.
    static func path(ofRow key: [UInt8]) -> TreePath? {
        let node = key.last == PathEncoding.priorityTag ? key.dropLast() : key
        guard let path = try? path(ofDataKey: node.span), dataKey(path) == Array(node) else { return nil }
        return path
    }

    /// Returns a readable description of a row's position: its kind, its table, and its key in the notation of SQLite's
    /// tools.
    static func place(of key: [UInt8]) -> String {
        let kind =
            switch key.first {
            case metaKeyspace: "the store's metadata, "
            case changeLogKeyspace: "the change log, "
            case mainKeyspace: path(ofRow: key).map { "\($0), " } ?? ""
            case namedKeyspace: path(ofRow: key).map { "\($0) of the tree \($0.namespace), " } ?? ""
            case indexKeyspace: "an index, "
            case expiryByTimeKeyspace, expiryByPathKeyspace: "the expiry times, "
            case stagingKeyspace: "the staged rows, "
            default: ""
            }
        let digits = Array(key.prefix(maxShownBytes)).hexadecimal
        return "\(kind)table entries, key x'\(digits)\(key.count > maxShownBytes ? "…" : "")'"
    }
}
