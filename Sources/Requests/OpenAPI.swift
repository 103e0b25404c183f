import API
import HTTPTypes
import Transport
package import TreeModel

/// The machine-readable description of the service (OpenAPI 3.1).
package struct OpenAPI {
    package static let path = "/v1/openapi.json"

    package let document: JSONValue

    /// Describes the operations of a table.
    package init(_ table: RouteTable, version: String) {
        var schemas = Schemas()
        let problem = schemas.schema(of: ProblemDocument.self)
        var paths: JSONValue = [:]
        for (path, operations) in table.paths {
            var item: JSONValue = [:]
            for (method, operation) in operations {
                item[method.rawValue.lowercased()] = Self.describe(
                    operation, id: Self.id(method, path), problem, &schemas)
            }
            paths[path] = item
        }
        document = [
            "openapi": "3.1.0",
            "info": [
                "title": "Tintype", "version": .string(version),
                "description": """
                Photos in, posts out. The data can also be read and written as a tree, by the protocol of \
                Realtime Databases: any other address that ends in .json is a path in it.
                """,
            ],
            "paths": paths,
            "components": [
                "schemas": .object(schemas.components),
                "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
            ],
        ]
    }

    /// Returns an operation's identifier: `GET /v1/uploads/{id}` is `get_v1_uploads_id`.
    private static func id(_ method: HTTPRequest.Method, _ path: String) -> JSONValue {
        let words = path.split { !$0.isLetter && !$0.isNumber }
        return .string(([method.rawValue.lowercased()[...]] + words).joined(separator: "_"))
    }

    private static func describe(
        _ operation: Endpoint, id: JSONValue, _ problem: JSONValue, _ schemas: inout Schemas
    ) -> JSONValue {
        var responses: JSONValue = [:]
        for answer in operation.answers {
            let status = "\(answer.status.code)"
            var response = responses[status] ?? ["description": .string(answer.status.reasonPhrase)]
            if let (contentType, schema) = answer.content {
                var content = response["content"] ?? [:]
                content[contentType] = [answer.isStream ? "x-item-schema" : "schema": schema.make(&schemas)]
                response["content"] = content
            }
            if !answer.headers.isEmpty {
                let header: JSONValue = ["required": true, "schema": ["type": "string"]]
                response["headers"] = .object(Dictionary(answer.headers.map { ($0, header) }) { $1 })
            }
            responses[status] = response
        }
        let content: JSONValue = [Problem.contentType: ["schema": problem]]
        for (status, codes) in Self.errors(of: operation) {
            let names = codes.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            responses["\(status)"] = ["description": .string(names), "content": content]
        }
        responses["5XX"] = ["description": "a fault of the service", "content": content]
        var description: JSONValue = [
            "operationId": id, "summary": .string(operation.summary), "responses": responses,
        ]
        // A client of the Unix socket needs no token, nor does any client where the database is open.
        if operation.errors.contains(.badToken) { description["security"] = [[:], ["token": []]] }
        if !operation.parameters.isEmpty {
            description["parameters"] = .list(operation.parameters.map { describe($0, &schemas) })
        }
        if !operation.body.isEmpty {
            description["requestBody"] = [
                "content": .object(operation.body.mapValues { ["schema": $0.make(&schemas)] })
            ]
        }
        return description
    }

    /// Returns the codes of an operation by status; the last four are those of every operation.
    private static func errors(of operation: Endpoint) -> [Int: [ErrorCode]] {
        let codes = operation.errors + [.badRequest, .foreignHost, .crossSite, .headTooLarge]
        return codes.reduce(into: [:]) { statuses, code in
            if let status = code.status { statuses[status.code, default: []].append(code) }
        }
    }

    private static func describe(_ parameter: Parameter, _ schemas: inout Schemas) -> JSONValue {
        var description: JSONValue = [
            "name": .string(parameter.name), "in": .string(parameter.location.rawValue),
            "required": .bool(parameter.isRequired), "schema": parameter.schema.make(&schemas),
        ]
        if !parameter.details.isEmpty { description["description"] = .string(parameter.details) }
        return description
    }
}
