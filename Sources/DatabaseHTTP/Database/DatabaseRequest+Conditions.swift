import API
import Access
import Database
import HTTPTypes
import Hummingbird
import NIOCore
import Transport
import TreeModel

/// The conditions of an update of several paths, as the header field `Tintype-If-Match` contains them: a JSON object of
/// paths below the updated node, each with its required ETag, or `null` for a node without a value.
struct PathConditions: Sendable {
    /// The largest number of conditions.
    static let maxCount = 100
    /// The longest text, in bytes.
    static let maxBytes = 16 << 10

    /// The conditions by their paths, as the client wrote them.
    private let byName: [String: NodeCondition]

    var conditions: [NodeCondition] { byName.sorted { $0.key < $1.key }.map(\.value) }

    /// Parses the conditions of an update of a node.
    ///
    /// - Throws: `Failure` with the code `bad_request` or `invalid_path`.
    init(_ text: String, below node: TreePath) throws(Failure) {
        guard text.utf8.count <= Self.maxBytes else {
            throw Self.malformed("has more than \(Self.maxBytes) bytes")
        }
        guard let members = JSONValue(text: text.utf8)?.members, !members.isEmpty else {
            throw Self.malformed("is not a JSON object of paths and ETags")
        }
        guard members.count <= Self.maxCount else { throw Self.malformed("has more than \(Self.maxCount) paths") }
        var byName: [String: NodeCondition] = [:]
        for (name, value) in members {
            let path: TreePath
            do {
                path = node.appending(try TreePath(name))
                try path.checkDepth()
            } catch {
                throw DatabasePath.invalid("Use another path in \(Self.name): \(error.message).")
            }
            guard value == .null || value.string != nil else {
                throw Self.malformed("has neither an ETag nor null at \"\(name.prefix(80))\"")
            }
            byName[name] = NodeCondition(path, etag: value.string ?? NodeCondition.absent)
        }
        self.byName = byName
        try requireSeparatePaths()
    }

    /// Refuses a path at or below another: each value is then read once, however many conditions there are.
    private func requireSeparatePaths() throws(Failure) {
        let paths = byName.values.map(\.path).sorted { $0.keys.lexicographicallyPrecedes($1.keys) }
        for (path, next) in zip(paths, paths.dropFirst()) where path == next || path.isAncestor(of: next) {
            throw Self.malformed("names \(next) twice, or a path above it")
        }
    }

    /// Returns a response that lists the paths of conditions that do not hold, each with its present ETag.
    func refusal(_ broken: [(condition: NodeCondition, etag: String)]) -> Response {
        var paths: [String: JSONValue] = [:]
        for (name, condition) in byName {
            guard let (_, etag) = broken.first(where: { $0.condition == condition }) else { continue }
            paths[name] = etag == NodeCondition.absent ? .null : .string(etag)
        }
        let body: JSONValue = [
            "error": "The values at some paths have changed. Nothing was written.", "paths": .object(paths),
        ]
        return Response(
            status: .preconditionFailed, headers: .database,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body.text)))
    }

    private static var name: String { field.rawName }
    fileprivate static let field: HTTPField.Name = HTTPField.Name(parsed: "Tintype-If-Match")

    private static func malformed(_ complaint: String) -> Failure {
        Failure(.badRequest, "\(name) \(complaint)", hint: "Write it as {\"a/b\":\"ETAG\",\"c\":null}.")
    }
}

extension DatabaseRequest {
    /// Whether the request reads values that it does not write: those of the conditions of a PATCH.
    var comparesValues: Bool {
        method == .patch && (ifMatch != nil || http.headers[PathConditions.field] != nil)
    }

    /// The conditions on paths below the node; nil if there are none.
    ///
    /// - Throws: `Failure` with the code `bad_request` or `invalid_path`.
    var pathConditions: PathConditions? {
        get throws(Failure) {
            guard let text = http.headers[PathConditions.field] else { return nil }
            return try PathConditions(text, below: path.node)
        }
    }

    /// Returns the terms of the write: its key, and its conditions.
    ///
    /// - Parameter pathConditions: The conditions on paths below the node; nil if there are none.
    /// - Throws: `Failure` with the code `bad_reference` or `condition_not_supported`.
    func terms(_ pathConditions: PathConditions? = nil) throws -> WriteTerms {
        var terms = WriteTerms()
        terms.key = try http.headers[.idempotencyKey].map(ClientReference.key)
        if http.headers[PathConditions.field] != nil {
            guard method == .patch, ifMatch == nil else {
                throw Failure(
                    .conditionNotSupported,
                    ifMatch == nil
                        ? "Tintype-If-Match is not supported with \(method.rawValue)"
                        : "Tintype-If-Match is not supported beside if-match",
                    hint: "Use it with PATCH, and alone.")
            }
            terms.conditions = pathConditions?.conditions ?? []
        }
        guard let ifMatch else { return terms }
        guard method != .post, !path.isPriority else {
            throw Failure(
                .conditionNotSupported,
                "if-match is not supported with \(path.isPriority ? "a priority" : method.rawValue)",
                hint: "Use conditions with PUT, PATCH and DELETE of a value.")
        }
        if method == .patch {
            terms.conditions = [NodeCondition(path.node, etag: ifMatch)]
        } else {
            terms.etag = ifMatch
        }
        return terms
    }
}
