import API
package import Tree

/// What is to be read at a path, and the form of the answer.
package struct ReadRequest: Sendable {
    /// The part of a node that is read.
    package enum Part: Sendable {
        /// The value, in this form: as a whole, or the children that the query selects.
        case value(JSONForm)
        /// The keys of the children, each with `true`; the value of a leaf.
        case keys
        /// The number of the children.
        case count
        case priority
        /// Nothing: only the ETag and the token are asked for.
        case nothing
    }

    fileprivate let path: TreePath
    private let part: Part
    fileprivate let query: TreeQuery?
    private let unindexed: UnindexedQueries
    private let wantsETag: Bool
    private let knownETag: String?
    private let frame: TextFrame

    /// - Parameters:
    ///   - query: Which children are selected; nil for the whole node.
    ///   - unindexed: What becomes of a query for which the rules name no index.
    ///   - wantsETag: Whether the ETag of the node is asked for.
    ///   - knownETag: The ETag of what the reader has already; nil for nothing.
    package init(
        _ part: Part, at path: TreePath, matching query: TreeQuery? = nil, unindexed: UnindexedQueries = .refused,
        wantsETag: Bool = false,
        knownETag: String? = nil, in frame: TextFrame = TextFrame()
    ) {
        self.path = path
        self.part = part
        self.query = query
        self.unindexed = unindexed
        self.wantsETag = wantsETag
        self.knownETag = knownETag
        self.frame = frame
    }
}

/// What one state of a tree has to say to a reader.
package enum ReadAnswer: Sendable {
    /// The text, and the position in the change log that it stands for.
    case text(SpooledBody.Finished, token: SyncToken, etag: String?)
    /// The reader has it already.
    case unchanged(etag: String)
}

extension DatabaseSession {
    /// Reads from one state of a tree.
    ///
    /// - Parameter limit: How long it may take; nil for as long as it takes.
    /// - Throws: `Failure` with the code `timed_out` or `too_many_reads`; `TreeError` with the code `index_not_defined`, or the
    ///   engine's failure.
    package func get(_ request: ReadRequest, within limit: Duration? = nil) async throws -> ReadAnswer {
        guard let limit else { return try await read(request) }
        return try await withThrowingTaskGroup { group in
            group.addTask { try await read(request) }
            group.addTask {
                try await Task.sleep(for: limit)
                throw Failure(.timedOut, "The request took longer than its timeout", hint: "\(limit)")
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }

    private func read(_ request: ReadRequest) async throws -> ReadAnswer {
        do {
            return try await ReadingClient.read(for: reader) {
                try await database.tree.snapshot { [spool = database.spool, requester] snapshot in
                    try requester?.judgeRead(of: request.path, matching: request.query, in: snapshot)
                    return try request.answer(from: snapshot, spool: spool)
                }
            }
        } catch let error as TreeError {
            throw error.cause as? Failure ?? error
        }
    }
}

extension ReadRequest {
    fileprivate func answer(from snapshot: TreeSnapshot, spool: ResponseSpool) throws(TreeError) -> ReadAnswer {
        let etag = wantsETag ? try snapshot.etag(of: path) : nil
        if let etag, etag == knownETag { return .unchanged(etag: etag) }
        let text = SpooledBody(in: frame, spool: spool)
        try write(from: snapshot, to: text)
        return .text(try text.finish(), token: try snapshot.token, etag: etag)
    }

    private func write(from snapshot: TreeSnapshot, to text: SpooledBody) throws(TreeError) {
        let drain = { (piece: [UInt8]) throws(TreeError) in try text.append(piece) }
        switch (part, query) {
        case (.priority, _): try text.append(try snapshot.priorityJSON(of: path))
        case (.count, let query): try text.append(Array("\(try count(query, in: snapshot))".utf8))
        case (.keys, let query?): try text.append(try snapshot.shallowJSON(of: path, matching: query))
        case (.keys, nil): try text.append(try snapshot.shallowJSON(of: path))
        case (.value(let form), let query?):
            try text.append(try snapshot.json(of: path, matching: query, form, unindexed: unindexed, drain: drain))
        case (.value(let form), nil): try text.append(try snapshot.json(of: path, form, drain: drain))
        // A query that may not be asked is refused, though its answer is not wanted.
        case (.nothing, let query?): _ = try count(query, in: snapshot)
        case (.nothing, nil): break
        }
    }

    private func count(_ query: TreeQuery?, in snapshot: TreeSnapshot) throws(TreeError) -> Int {
        guard let query else { return try snapshot.childCount(of: path) }
        return try snapshot.count(of: path, matching: query)
    }
}
