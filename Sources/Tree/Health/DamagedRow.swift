/// A row of a tree, or of the change log, whose bytes nobody can have written, which says nothing of any other row.
///
/// It is the ``TreeError/cause`` of the error, which has its path where it is of a tree.
package struct DamagedRow: Error, Hashable {
    /// The key of the row.
    package let key: [UInt8]
    /// The bytes that are there; nil where none are.
    package let value: [UInt8]?

    var isOfChangeLog: Bool { key.first == StoreFormat.changeLogKeyspace }

    /// Whether it is the priority of the node at its path, and not the leaf there.
    package var isPriority: Bool { key.last == PathEncoding.priorityTag }
}

extension TreeError {
    /// The row that is damaged; nil for anything else, damage of the store as a whole among it.
    package var damagedRow: DamagedRow? { cause as? DamagedRow }

    /// Whether it is damage of a place that it names, beside which the store can be trusted.
    var isDamageOfPlace: Bool { code == .corrupt && (path != nil || damagedRow != nil) }

    /// The damage of a row: of its path, or of its change, alone where it has one, else of the store.
    ///
    /// - Parameters:
    ///   - reason: What is wrong with the row, as a sentence.
    ///   - value: The bytes that are there; nil where none are.
    static func damaged(_ reason: String, key: [UInt8], value: [UInt8]?) -> TreeError {
        let message = "\(reason) (\(StoreFormat.place(of: key)))"
        let row = DamagedRow(key: key, value: value)
        if let path = StoreFormat.path(ofRow: key) {
            return TreeError(.corrupt, message, path: path, hint: hint(for: path), cause: row)
        }
        guard row.isOfChangeLog else { return .corrupt(message) }
        return TreeError(
            .corrupt, message, hint: "changes up to it are forgotten by and by; then start the service again",
            cause: row)
    }

    /// The same damage, with the row in which it was met; unless it has a place already.
    func met(inRow key: Span<UInt8>, _ value: Span<UInt8>) -> TreeError {
        guard code == .corrupt, !isDamageOfPlace else { return self }
        return .damaged(message, key: key.copied, value: value.copied)
    }

    /// The same damage of the store, with what was read when it was met.
    func met(readingFrom key: [UInt8]) -> TreeError {
        guard code == .corrupt, !isDamageOfPlace else { return self }
        return TreeError(code, "\(message), reading from \(StoreFormat.place(of: key))", hint: hint, cause: cause)
    }

    private static func hint(for path: TreePath) -> String {
        let parts = "\(path)".split(separator: "'", omittingEmptySubsequences: false)
        let quoted = "'\(parts.joined(separator: "'\\''"))'"
        let tree = path.namespace == .main ? "" : " --ns \(path.namespace)"
        return "stop the service and drop or replace this row: tintype repair --row \(quoted)\(tree) --drop"
    }
}

extension StoreFormat {
    /// The most bytes of a key that are shown.
    private static let maxShownBytes = 96

    /// The path of the node that a row is a leaf or the priority of; nil for rows that are none of a tree, and for keys that
    /// nobody can have written.
    static func path(ofRow key: [UInt8]) -> TreePath? {
        let node = key.last == PathEncoding.priorityTag ? key.dropLast() : key
        guard let path = try? path(ofDataKey: node.span), dataKey(path) == Array(node) else { return nil }
        return path
    }

    /// The place of a row, for people: its kind, its table and its key, as SQLite's tools take them.
    static func place(of key: [UInt8]) -> String {
        let kind =
            switch key.first {
            case metaKeyspace: "the store's own notes, "
            case changeLogKeyspace: "the log of changes, "
            case mainKeyspace: path(ofRow: key).map { "\($0), " } ?? ""
            case namedKeyspace: path(ofRow: key).map { "\($0) of the tree \($0.namespace), " } ?? ""
            case indexKeyspace: "an index, "
            case expiryByTimeKeyspace, expiryByPathKeyspace: "the times of expiry, "
            case stagingKeyspace: "what is staged, "
            default: ""
            }
        let digits = Array(key.prefix(maxShownBytes)).hexadecimal
        return "\(kind)table entries, key x'\(digits)\(key.count > maxShownBytes ? "…" : "")'"
    }
}
