package import API
package import Tree

/// The value of a node as JSON, with its ETag.
package struct NodeValue: Sendable {
    package let json: [UInt8]
    /// The ETag; nil if only the keys of children were read.
    package let etag: String?
}

/// The part of several nodes that is read.
package enum NodeValueForm: Sendable {
    case value(JSONForm)
    /// The keys of the children, each with `true`; the value of a leaf.
    case keys
}

/// The reading of several nodes from one state of a tree, for the identity of a session.
package struct SeveralNodes: Sendable {
    /// The number of bytes that may be read for a byte of the answer: rows are read with their whole keys, and twice, for
    /// the text and for the ETag.
    private static let maxBytesReadPerByte = 16

    private let session: DatabaseSession

    package init(of session: DatabaseSession) { self.session = session }

    /// Reads the values of nodes. Each is judged by the rules on its own, and one that may not be read is a failure of
    /// its own.
    ///
    /// - Parameter maxBytes: The largest size of all values together. A value that does not fit is a failure of its own,
    ///   with the code `too_large`. If many do not, this is so for all values after a multiple of this size has been
    ///   read.
    /// - Returns: A result for each path, in their order, and the position of the state in the change log.
    /// - Throws: `TreeError`, the engine's failure.
    package func values(
        at paths: [TreePath], _ form: NodeValueForm, maxBytes: Int
    ) async throws -> (values: [Result<NodeValue, Failure>], token: SyncToken) {
        try await ReadingClient.read(for: session.reader) {
            try await session.database.tree.snapshot { [requester = session.requester] snapshot in
                var rest = maxBytes
                let allowance = ReadAllowance(
                    bytes: Self.maxBytesReadPerByte * maxBytes, orThrowing: Self.tooLarge)
                let limited = allowance.limit(snapshot)
                var values: [Result<NodeValue, Failure>] = []
                for path in paths {
                    do throws(TreeError) {
                        try requester?.judgeRead(of: path, in: snapshot)
                        let value = try Self.value(at: path, form, maxBytes: rest, in: limited)
                        rest -= value.json.count
                        values.append(.success(value))
                    } catch {
                        guard let failure = Self.failure(error) else { throw error }
                        values.append(.failure(failure))
                    }
                }
                return (values, try snapshot.token)
            }
        }
    }

    /// Returns the conditions that do not hold at present, with the present ETags. A condition on a node that may not be
    /// read at present is left out.
    ///
    /// - Throws: `TreeError` with the code `too_large` for conditions that are never accepted, or the engine's failure.
    package func broken(_ conditions: [NodeCondition]) async throws -> [(condition: NodeCondition, etag: String)] {
        try await ReadingClient.read(for: session.reader) {
            try await session.database.tree.snapshot { [requester = session.requester] snapshot in
                let limited = requester == nil ? snapshot : ReadAllowance.ofConditions().limit(snapshot)
                return try conditions.compactMap { condition -> (condition: NodeCondition, etag: String)? in
                    do throws(TreeError) {
                        try requester?.judgeRead(of: condition.path, in: snapshot)
                        let etag = try limited.etag(of: condition.path)
                        return etag == condition.etag ? nil : (condition, etag)
                    } catch {
                        guard error.code == .permissionDenied else { throw error }
                        return nil
                    }
                }
            }
        }
    }

    /// Returns the failure of one path; nil for an error that concerns the whole store.
    private static func failure(_ error: TreeError) -> Failure? {
        switch error.code {
        case .permissionDenied: .permissionDenied()
        case .tooLarge: error.failure
        default: nil
        }
    }

    /// Returns the value of a node.
    ///
    /// - Throws: `TreeError` with the code `too_large`, or the engine's failure.
    private static func value(
        at path: TreePath, _ form: NodeValueForm, maxBytes: Int, in snapshot: TreeSnapshot
    ) throws(TreeError) -> NodeValue {
        var json: [UInt8] = []
        switch form {
        case .keys: json = try snapshot.shallowJSON(of: path, upTo: maxBytes)
        case .value(let form):
            let end = try snapshot.json(of: path, form) { piece throws(TreeError) in
                json += piece
                try check(json.count, maxBytes)
            }
            json += end
        }
        try check(json.count, maxBytes)
        var etag: String?
        if case .value = form { etag = try snapshot.etag(of: path) }
        return NodeValue(json: json, etag: etag)
    }

    private static func check(_ byteCount: Int, _ maxBytes: Int) throws(TreeError) {
        guard byteCount <= maxBytes else { throw tooLarge }
    }

    private static let tooLarge = TreeError(
        .tooLarge, "the value does not fit into the answer beside those before it",
        hint: "Read it in another request, or alone with GET /{path}.json.")
}
