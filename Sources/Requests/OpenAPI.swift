import API
import HTTPTypes
import Transport
package import TreeModel

/// The machine-readable description of the service (OpenAPI 3.1).
package struct OpenAPI {
    package static let path = "/v1/openapi.json"

    package let document: JSONValue

    /// Describes the operations of a table.
    ///
    /// - Parameters:
    ///   - version: The version of the service.
    ///   - origin: The public address of the service; nil if it has none, for the address of the description.
    package init(_ table: RouteTable, version: String, origin: String?) {
        var schemas = Schemas()
        var paths: JSONValue = [:]
        var tags: Set<EndpointTag> = []
        for (path, operations) in table.paths + table.elsewhere {
            var item: JSONValue = [:]
            for (method, operation) in operations {
                guard let heading = operation.heading else { continue }
                tags.insert(heading.tag)
                item[method.rawValue.lowercased()] = Self.describe(operation, heading, &schemas)
            }
            if item != [:] { paths[path] = item }
        }
        let described = schemas.components.map { ($0, SchemaDescriptions.described($1, as: $0)) }
        document = [
            "openapi": "3.1.0",
            "info": Self.info(version: version, origin: origin),
            "servers": [["url": .string(origin ?? "/")]],
            "tags": .list(
                EndpointTag.allCases.filter(tags.contains).map {
                    ["name": .string($0.rawValue), "description": .string($0.details)]
                }),
            "paths": paths,
            "components": [
                "schemas": .object(Dictionary(uniqueKeysWithValues: described)),
                "securitySchemes": Self.securitySchemes,
            ],
        ]
    }

    private static func info(version: String, origin: String?) -> JSONValue {
        var contact: JSONValue = ["name": "The operator of this service"]
        contact["url"] = origin.map(JSONValue.string)
        return [
            "title": "Tintype", "version": .string(version),
            "summary": "Photos in, posts out.",
            "description": """
            The data can also be read and written as a tree, by the protocol of Realtime Databases: any other address \
            that ends in .json is a path in it. Clients of the Unix socket are admins without a token.
            """,
            "license": ["name": "Apache License 2.0", "identifier": "Apache-2.0"], "contact": contact,
        ]
    }

    private static func describe(
        _ operation: Endpoint, _ heading: Endpoint.Heading, _ schemas: inout Schemas
    ) -> JSONValue {
        var description: JSONValue = [
            "operationId": .string(heading.name), "tags": [.string(heading.tag.rawValue)],
            "summary": .string(heading.summary), "responses": responses(of: operation, &schemas),
            "security": security(of: operation),
        ]
        if !heading.details.isEmpty { description["description"] = .string(heading.details) }
        if !operation.parameters.isEmpty {
            description["parameters"] = .list(operation.parameters.map { describe($0, &schemas) })
        }
        if !operation.body.isEmpty {
            description["requestBody"] = [
                "required": .bool(operation.needsBody),
                "content": .object(operation.body.mapValues { ["schema": $0.make(&schemas)] }),
            ]
        }
        return description
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

// MARK: - Responses

extension OpenAPI {
    private static func responses(of operation: Endpoint, _ schemas: inout Schemas) -> JSONValue {
        var responses: JSONValue = [:]
        for answer in operation.answers {
            let status = "\(answer.status.code)"
            var response = responses[status] ?? ["description": .string(answer.status.reasonPhrase)]
            if let (contentType, schema) = answer.content {
                var content = response["content"] ?? [:]
                content[contentType] = media(of: contentType, isStream: answer.isStream, schema.make(&schemas))
                response["content"] = content
            }
            if !answer.headers.isEmpty {
                let header: JSONValue = ["required": true, "schema": ["type": "string"]]
                response["headers"] = .object(Dictionary(answer.headers.map { ($0, header) }) { $1 })
            }
            responses[status] = response
        }
        let content: JSONValue = [operation.problem.type: ["schema": operation.problem.schema.make(&schemas)]]
        for (status, codes) in errors(of: operation) {
            let names = codes.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            responses["\(status)"] = ["description": .string(names), "content": content]
        }
        responses["5XX"] = ["description": "a fault of the service", "content": content]
        return responses
    }

    /// Returns the schema of a body. That of a stream describes an item; lines, which end, are also a text as a whole.
    private static func media(of type: String, isStream: Bool, _ schema: JSONValue) -> JSONValue {
        guard isStream else { return ["schema": schema] }
        var media: JSONValue = ["x-item-schema": schema]
        if type != "text/event-stream" { media["schema"] = ["type": "string"] }
        return media
    }

    /// Returns the codes of an operation by status; the last four are those of every operation.
    private static func errors(of operation: Endpoint) -> [Int: [ErrorCode]] {
        var codes = operation.errors
        if operation.access != .anybody, !codes.contains(.badToken) { codes.append(.badToken) }
        codes += [.badRequest, .foreignHost, .crossSite, .headTooLarge].filter { !operation.errors.contains($0) }
        return codes.reduce(into: [:]) { statuses, code in
            if let status = code.status { statuses[status.code, default: []].append(code) }
        }
    }
}

// MARK: - Security

extension OpenAPI {
    private static let securitySchemes: JSONValue = [
        "idToken": [
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "The ID token of a person who has signed in, or a custom issuer's.",
        ],
        "adminKey": [
            "type": "http", "scheme": "bearer", "description": "An admin key, as `tintype keys create` makes it.",
        ],
    ]

    /// Returns the alternatives; an empty object is a request without a token.
    private static func security(of operation: Endpoint) -> JSONValue {
        switch operation.access {
        case .anybody: []
        case .byRules: [[:], ["idToken": []], ["adminKey": []]]
        case .person: [["idToken": []], ["adminKey": []]]
        case .admin: [["adminKey": []]]
        }
    }
}
