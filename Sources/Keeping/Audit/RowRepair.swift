package import API
import Files
package import Store
package import Tree

/// Replaces or deletes a damaged row of the tree, on an operator's command. The old bytes are kept in a document of
/// their own in `damaged/`.
package struct RowRepair: Sendable {
    private static let folderName = "damaged"

    private let storage: StorageFolder
    private let path: TreePath
    private let row: DamagedRow

    /// Whether the row is the priority of the node at its path.
    package var isPriority: Bool { row.isPriority }

    /// Looks up the row.
    ///
    /// - Throws: `Failure` `not_found` if the row can be read; `TreeError` if more than this row is damaged.
    package init(at path: TreePath, in storage: StorageFolder) async throws {
        let row = try await DamagedRow.find(at: path, in: storage.tree)
        try storage.tree.health.check()
        guard let row else {
            throw Failure(
                .notFound, "no row at \(TreeInvariant.text(path)) is damaged",
                hint: "List the damaged rows with tintype store check. Write others as usual.")
        }
        (self.storage, self.path, self.row) = (storage, path, row)
    }

    /// Replaces the row. Durable on return.
    ///
    /// - Parameter json: The new value; `null` to delete the row.
    /// - Throws: `TreeError` with code `invalid_json`, or that of any write; `FileError` if the old bytes cannot be
    ///   kept.
    package func run(json: [UInt8]) async throws -> ReplacedRowDocument {
        let update = try JSONUpdate(row.isPriority ? .priority : .value, at: path, json: json)
        let name = "\(storage.ids.next()).json"
        let document = ReplacedRowDocument(
            path: TreeInvariant.text(path) + (row.isPriority ? "/.priority" : ""), key: row.key.hexadecimal,
            value: row.value?.hexadecimal, text: row.value.map { String(decoding: $0.dropFirst(), as: UTF8.self) },
            replacement: String(decoding: json, as: UTF8.self), replacedAt: storage.clock().milliseconds,
            file: "\(Self.folderName)/\(name)")
        try await FileThreads.run { [root = storage.root] in
            try root.folder(Self.folderName, create: true).write(document.json() + "\n".utf8, as: name, mode: 0o600)
        }
        try await row.replace(at: path, by: update, in: storage.tree)
        return document
    }
}
