import API
package import Tree

/// A request to read a path, with the form of the response.
package struct ReadRequest: Sendable {
    /// The part of a node that is read.
    package enum Part: Sendable {
        /// The value in this form: the whole value, or the children that the query selects.
        case value(JSONForm)
        /// The keys of the children, each with `true`; the value of a leaf.
        case keys
        /// The number of the children.
        case count
        case priority
        /// No content, for requests that only need the ETag and the token.
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
    ///   - query: The query that selects the children; nil for the whole node.
    ///   - unindexed: The behaviour for a query without an index in the rules.
    ///   - wantsETag: Whether the ETag of the node is included.
    ///   - knownETag: The ETag of the value that the reader already has; nil for none.
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

/// The response to a read, from one state of a tree.
package enum ReadAnswer: Sendable {
    /// The text, with the position of its state in the change log, and the ETag if it was requested.
    case text(SpooledBody.Finished, token: SyncToken, etag: String?)
    /// The value has the ETag that the reader knows.
    case unchanged(etag: String)
}

extension DatabaseSession {
    /// Reads from one state of a tree.
    ///
    /// - Parameter limit: The time limit; nil for none.
    /// - Throws: `Failure` with the code `timed_out` or `too_many_reads`; `TreeError` with the code `index_not_defined`, or the
    ///   engine's failure.
    package func get(_ request: ReadRequest, within limit: Duration? = nil) async throws -> ReadAnswer {
        guard let limit else { return try await read(request) }
        return try await withThrowingTaskGroup { group in
            group.addTask { try await read(request) }
            group.addTask {
                try await Task.sleep(for: limit)
                throw Failure(
                    .timedOut, "The request took longer than its timeout",
                    hint: "Read less at once, or allow more time than \(limit).")
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
        // A query that is not allowed is refused even if its result is not needed.
        case (.nothing, let query?): _ = try count(query, in: snapshot)
        case (.nothing, nil): break
        }
    }

    private func count(_ query: TreeQuery?, in snapshot: TreeSnapshot) throws(TreeError) -> Int {
        guard let query else { return try snapshot.childCount(of: path) }
        return try snapshot.count(of: path, matching: query)
    }
}
