import API
import Database
package import DatabaseHTTP
import HTTPTypes
import Hummingbird
import NIOCore
package import Requests
import Transport
import Tree
import TreeModel

/// `/v1/values`: the values at several paths of the tree, from one state.
package struct ValueRoutes: Sendable {
    /// The largest number of paths.
    private static let maxCount = 100
    /// The largest size of all values together, in bytes.
    private static let maxBytes = 4 << 20

    private let access: DatabaseAccess

    package init(_ access: DatabaseAccess) { self.access = access }

    package func add(to routes: inout RouteTable) {
        let read = Endpoint(
            "getValues", in: .database, "Get the values at several paths of the tree, from one state",
            details: """
                The rules decide about each path on its own. A path that may not be read has an error in place of a \
                value, and so has a value that does not fit into an answer of \(Self.maxBytes >> 20) MiB. No path may \
                be there twice.
                """,
            access: .byRules,
            [
                .list("path", .text, "the paths, at most \(Self.maxCount)").required,
                .query("shallow", .flag, "whether to return only the keys of objects"),
                .query("format", .text, "`export` for priorities, too"),
            ] + DatabaseAccess.parameters,
            answers: [.json(ValuesDocument.self).with(headers: "Tintype-Token")],
            errors: [.badToken, .invalidNamespace], run: read)
        routes.add("/v1/values", [.get: read])
    }

    @Sendable private func read(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let admitted = try access.admit(
            request.head, at: request.uri, from: context.client, by: context.proof, counting: context.activities)
        let names = context.query.list("path")
        guard (1...Self.maxCount).contains(names.count) else {
            throw Failure(
                .badRequest, "the request has \(names.count) paths; it may have 1 to \(Self.maxCount)",
                hint: "Write it as /v1/values?path=a/b&path=c.")
        }
        let form: NodeValueForm =
            try context.query.flag("shallow") ? .keys : .value(admitted.parameters.isExport ? .export : .plain)
        let paths = names.map { name in
            Result { () throws(TreeError) in try TreePath(name, in: admitted.namespace) }
                .mapError { DatabasePath.invalid("Use another path: \($0.message).") }
        }
        let nodes = paths.compactMap { try? $0.get() }
        guard Set(nodes).count == nodes.count else {
            throw Failure(.badRequest, "the request has the same path twice", hint: "Write each path once.")
        }
        let (values, token) = try await SeveralNodes(of: admitted.session).values(
            at: nodes, form, maxBytes: Self.maxBytes)
        var rest = values[...]
        let results = paths.map { path in path.flatMap { _ in rest.popFirst() ?? .failure(.permissionDenied()) } }
        return .values(zip(names, results), at: token)
    }
}

extension Response {
    /// Returns a response with a ``ValuesDocument``.
    fileprivate static func values(
        _ values: some Sequence<(String, Result<NodeValue, Failure>)>, at token: SyncToken
    ) -> Response {
        var body = ByteBuffer(string: "{\"values\":[")
        for (index, (name, result)) in values.enumerated() {
            body.writeString(index == 0 ? "{\"path\":" : ",{\"path\":")
            body.writeBytes(JSONValue.string(name).json())
            switch result {
            case .success(let value):
                body.writeString(",\"value\":")
                body.writeBytes(value.json)
                if let etag = value.etag { body.writeString(",\"etag\":\"\(etag)\"") }
            case .failure(let failure):
                body.writeString(",\"error\":")
                body.writeBytes(failure.json())
            }
            body.writeString("}")
        }
        body.writeString("],\"token\":\"\(token)\"}\n")
        return Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=utf-8", .tintypeToken: "\(token)"],
            body: ResponseBody(byteBuffer: body))
    }
}
