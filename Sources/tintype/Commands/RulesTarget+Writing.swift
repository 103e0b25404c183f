import API
import Client
import HTTPTypes
import Rules
import TreeModel

extension RulesCommand.Target {
    /// Replaces the rules of the tree.
    ///
    /// - Returns: The changes; nil if the earlier rules could not be compared.
    /// - Throws: ``TextFault`` for rules with an error, before anything changes; the failures of the service.
    func replace(by file: TextFile) async throws -> [RulesChange]? {
        let rules = try file.rules()
        // Rules that an earlier version accepted may no longer be valid.
        let earlier = try? RulesDocument(try await text())
        _ = try await APIClient(storage).send(
            .put, Self.address, query: query, headers: [.contentType: "application/json"],
            body: .bytes(Array(file.text.utf8)))
        return earlier.map(rules.changes)
    }

    /// Replaces the storage rules.
    ///
    /// - Throws: ``TextFault`` for rules with an error, before anything changes; the failures of the service.
    func replaceStorageRules(by file: TextFile) async throws -> StorageRulesDocument {
        _ = try file.storageRules()
        return try await APIClient(storage).read(
            .put, RulesCommand.storageRulesAddress, headers: [.contentType: "text/plain"],
            body: .bytes(Array(file.text.utf8)))
    }
}

extension RulesChange {
    var document: RulesChangesDocument.Change { .init(change: kind.rawValue, path: path, member: member) }

    /// The change as a line for people.
    var words: String {
        let padding = String(repeating: " ", count: max(0, 7 - kind.rawValue.count))
        return "\(kind.rawValue)\(padding)  \(member) of \(path)".printable
    }
}
