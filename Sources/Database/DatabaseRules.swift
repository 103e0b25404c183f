import API
package import Tree

/// The rules document of a tree, as its owner wrote it.
package struct DatabaseRules: Sendable {
    /// The document of a tree without rules.
    private static let none = "{\"rules\":{}}"

    private let namespace: Namespace
    private let database: RealtimeDatabase

    init(of namespace: Namespace, in database: RealtimeDatabase) {
        self.namespace = namespace
        self.database = database
    }

    /// Returns the document with its comments; with `isStrict`, as plain JSON without them.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    package func text(isStrict: Bool) async throws(TreeError) -> String {
        let text =
            isStrict
            ? try await database.tree.rulesJSON(of: namespace).map { String(decoding: $0, as: UTF8.self) }
            : try await database.tree.rules(of: namespace)
        return text ?? Self.none
    }

    /// Replaces the document, and ends the listeners that may no longer read; see ``TreeStore/setRules(_:of:)``.
    ///
    /// - Throws: `Failure` with the code `bad_request` for bytes that are not UTF-8; `TreeError` with the code `invalid_rules`,
    ///   or the engine's failure.
    package func replace(by bytes: some Collection<UInt8>) async throws {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.badRequest, "1:1: the rules are not UTF-8")
        }
        try await database.tree.setRules(text, of: namespace)
        try await database.listeners.judge(in: namespace)
    }
}
