public import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A node of the tree, by its path, for values of any shape. ``of(_:)`` leads to an app's own entities.
///
/// A path that the tree cannot have is an error, `TreeInputError`, of each request, before anything is sent. Other errors
/// are those of `ServiceClient`.
public struct TreeReference: Sendable {
    let client: ServiceClient
    let location: Result<TreePath, TreeInputError>

    /// The path, such as `events/-P6x`; empty for the whole tree, and for a path that the tree cannot have.
    public var path: String { (try? location.get())?.text ?? "" }

    /// Returns a child of the node.
    ///
    /// - Parameter key: The key, which may come from outside: a slash in it is refused.
    public func child(_ key: String) -> TreeReference {
        TreeReference(
            client: client,
            location: location.flatMap { path in
                Result { () throws(TreeInputError) in
                    try path.child(key)
                }
            })
    }

    /// Returns the children of the node as entities.
    public func of<Element: TreeEntity>(_ type: Element.Type) -> TreeCollection<Element> {
        TreeCollection(reference: self)
    }

    /// Reads the value; `null` if there is none.
    public func value() async throws -> Answer<JSONValue> {
        var request = try request("GET")
        request.headers["X-Firebase-ETag"] = "true"
        return try await answer(to: request)
    }

    /// Reads the value of a query: the children that it selects.
    public func value(of query: TreeQuery) async throws -> Answer<JSONValue> {
        var request = try request("GET")
        request.query += try query.fields()
        return try await answer(to: request)
    }

    /// Reads the values at up to 100 paths below the node, all of them from one state of the tree.
    ///
    /// - Returns: The values in the order of the paths. A path that the rules refuse has a problem of its own.
    public func values(at paths: [String]) async throws -> Answer<[TreeValue]> {
        let base = try location.get()
        var request = ServiceRequest("GET", ["v1", "values"])
        for path in paths { request.setQuery("path", try base.appending(TreePath(path)).text) }
        let answer = try await answer(to: request)
        let values = try (answer.value["values"]?.array ?? []).map(TreeValue.init)
        guard values.count == paths.count else {
            throw TransportError(.malformed, "\(paths.count) values were requested, and \(values.count) were sent")
        }
        return answer.map { _ in zip(paths, values).map { TreeValue(path: $0, result: $1.result, etag: $1.etag) } }
    }

    /// The keys of the path.
    ///
    /// - Throws: `TreeInputError` for a path that the tree cannot have.
    package func keys() throws(TreeInputError) -> [String] { try location.get().keys }

    func request(_ method: String) throws(TreeInputError) -> ServiceRequest {
        var keys = try location.get().keys
        keys.append((keys.popLast() ?? "") + ".json")
        return ServiceRequest(method, keys)
    }

    /// Sends a request and returns the value of the answer.
    ///
    /// - Throws: `ConditionFailed` for a write whose condition does not hold.
    func answer(to request: ServiceRequest) async throws -> Answer<JSONValue> {
        let response = try await client.anyResponse(
            to: client.message(for: request), isAuthorized: request.isAuthorized)
        if response.status == 412 {
            throw try ConditionFailed(response, toSeveral: request.headers[Self.conditionsField] != nil)
        }
        guard (200..<300).contains(response.status) else { throw Problem(response) }
        let value = response.body.isEmpty ? .null : try JSONDecoder().decode(JSONValue.self, from: response.body)
        return Answer(value, changeNumber: response.changeNumber, etag: response.headers["ETag"])
    }

    static let conditionsField = "Tintype-If-Match"
}

extension ServiceClient {
    /// The whole tree.
    public var tree: TreeReference { TreeReference(client: self, location: .success(.root)) }

    /// Returns a node of the tree.
    ///
    /// - Parameter path: The path, such as `events/-P6x`. Keys from outside are passed to ``TreeReference/child(_:)``
    ///   instead, which refuses a slash.
    public func tree(_ path: String) -> TreeReference {
        TreeReference(client: self, location: Result { () throws(TreeInputError) in try TreePath(path) })
    }
}
