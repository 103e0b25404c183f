import Blobs
import HTTPTypes
import Hummingbird
import Pipeline
import Tree

/// What is at a place of a tree, as one state of the tree has it.
struct DatabaseReads: Sendable {
    /// What a state of the tree has to say.
    private enum Found: Sendable {
        case text(AnswerText.Finished, token: SyncToken, etag: String?)
        /// The reader has it already.
        case unchanged(etag: String)
    }

    private let pipeline: UploadPipeline

    init(_ pipeline: UploadPipeline) {
        self.pipeline = pipeline
    }

    /// Answers a GET.
    func get(_ asked: DatabaseRequest) async throws -> Response {
        guard asked.parameters.filters.isEmpty else {
            throw ServerError(.badRequest, "queries are not answered yet")
        }
        guard let limit = asked.parameters.timeout else { return try await answer(asked, status: .ok) }
        return try await withThrowingTaskGroup { group in
            group.addTask { try await answer(asked, status: .ok) }
            group.addTask {
                try await Task.sleep(for: limit)
                throw ServerError(.timedOut, "The request took longer than its timeout", hint: "\(limit)")
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }

    /// Answers with what is there, and this status.
    func answer(_ asked: DatabaseRequest, status: HTTPResponse.Status) async throws -> Response {
        let folder = pipeline.storage.incoming
        let found = try await pipeline.storage.tree.snapshot { snapshot in
            try Self.find(asked, in: snapshot, folder: folder)
        }
        switch found {
        case .unchanged(let etag):
            return Response(status: .notModified, headers: asked.headers(etag: etag))
        case .text(let text, let token, let etag):
            var headers = asked.headers(etag: etag)
            headers[.tintypeToken] = "\(token)"
            guard !asked.parameters.isSilent || status != .ok else {
                return Response(status: .noContent, headers: headers)
            }
            return Response(status: status, headers: headers, body: text.body(pipeline))
        }
    }

    private static func find(
        _ asked: DatabaseRequest, in snapshot: TreeSnapshot, folder: Directory
    ) throws(TreeError) -> Found {
        let etag = asked.wantsETag ? try snapshot.etag(of: asked.place.node) : nil
        if let etag, etag == asked.ifNoneMatch { return .unchanged(etag: etag) }
        let text = AnswerText(asked.parameters, folder: folder)
        if !asked.parameters.isSilent || asked.ifMatch != nil { try write(asked, from: snapshot, to: text) }
        return .text(try text.finish(), token: try snapshot.token, etag: etag)
    }

    private static func write(
        _ asked: DatabaseRequest, from snapshot: TreeSnapshot, to text: AnswerText
    ) throws(TreeError) {
        let (path, parameters) = (asked.place.node, asked.parameters)
        if asked.place.isPriority {
            try text.append(try snapshot.priorityJSON(of: path))
        } else if parameters.isCount {
            try text.append(Array("\(try snapshot.childCount(of: path))".utf8))
        } else if parameters.isShallow {
            try text.append(try snapshot.shallowJSON(of: path))
        } else {
            let last = try snapshot.json(of: path, parameters.isExport ? .export : .plain) { piece throws(TreeError) in
                try text.append(piece)
            }
            try text.append(last)
        }
    }
}
