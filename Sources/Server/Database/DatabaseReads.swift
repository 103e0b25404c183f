import API
import HTTPTypes
import Hummingbird
import Pipeline
import Tree

/// What is at a place of a tree, as one state of the tree has it.
struct DatabaseReads: Sendable {
    /// What a state of the tree has to say.
    private enum Found: Sendable {
        case text(SpooledBody.Finished, token: SyncToken, etag: String?)
        /// The reader has it already.
        case unchanged(etag: String)
    }

    private let tree: TreeStore
    let spool: ResponseSpool

    init(_ tree: TreeStore, spool: ResponseSpool) {
        self.tree = tree
        self.spool = spool
    }

    /// Answers a GET.
    func get(_ request: DatabaseRequest) async throws -> Response {
        if request.path.isPriority, !request.parameters.filters.isEmpty {
            throw DatabasePath.invalid("a priority has no children")
        }
        guard let limit = request.parameters.timeout else { return try await answer(request, status: .ok) }
        return try await withThrowingTaskGroup { group in
            group.addTask { try await answer(request, status: .ok) }
            group.addTask {
                try await Task.sleep(for: limit)
                throw Failure(.timedOut, "The request took longer than its timeout", hint: "\(limit)")
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }

    /// Answers with what is there, and this status.
    func answer(_ request: DatabaseRequest, status: HTTPResponse.Status) async throws -> Response {
        let spool = spool
        let query = try request.parameters.query()
        let found: Found
        do {
            found = try await tree.snapshot { snapshot in
                try Self.find(request, query, in: snapshot, spool: spool)
            }
        } catch let error as TreeError {
            throw error.cause as? Failure ?? error
        }
        switch found {
        case .unchanged(let etag):
            return Response(status: .notModified, headers: request.headers(etag: etag))
        case .text(let text, let token, let etag):
            var headers = request.headers(etag: etag)
            headers[.tintypeToken] = "\(token)"
            guard !request.parameters.isSilent || status != .ok else {
                return Response(status: .noContent, headers: headers)
            }
            return Response(status: status, headers: headers, body: text.body)
        }
    }

    private static func find(
        _ request: DatabaseRequest, _ query: TreeQuery?, in snapshot: TreeSnapshot, spool: ResponseSpool
    ) throws(TreeError) -> Found {
        let etag = request.wantsETag ? try snapshot.etag(of: request.path.node) : nil
        if let etag, etag == request.ifNoneMatch { return .unchanged(etag: etag) }
        let text = SpooledBody(request.parameters, spool: spool)
        if !request.parameters.isSilent || request.ifMatch != nil {
            try write(request, query, from: snapshot, to: text)
        } else if let query {
            // A query that may not be asked is refused, though its answer is not wanted.
            _ = try snapshot.count(of: request.path.node, matching: query)
        }
        return .text(try text.finish(), token: try snapshot.token, etag: etag)
    }

    private static func write(
        _ request: DatabaseRequest, _ query: TreeQuery?, from snapshot: TreeSnapshot, to text: SpooledBody
    ) throws(TreeError) {
        let (path, parameters) = (request.path.node, request.parameters)
        let form = parameters.isExport ? JSONForm.export : .plain
        let drain = { (piece: [UInt8]) throws(TreeError) in try text.append(piece) }
        let rest =
            if request.path.isPriority {
                try snapshot.priorityJSON(of: path)
            } else if parameters.isCount {
                Array("\(try count(of: path, query, in: snapshot))".utf8)
            } else if parameters.isShallow, let query {
                try snapshot.shallowJSON(of: path, matching: query)
            } else if parameters.isShallow {
                try snapshot.shallowJSON(of: path)
            } else if let query {
                try snapshot.json(of: path, matching: query, form, drain: drain)
            } else {
                try snapshot.json(of: path, form, drain: drain)
            }
        try text.append(rest)
    }

    private static func count(
        of path: TreePath, _ query: TreeQuery?, in snapshot: TreeSnapshot
    ) throws(TreeError) -> Int {
        guard let query else { return try snapshot.childCount(of: path) }
        return try snapshot.count(of: path, matching: query)
    }
}
