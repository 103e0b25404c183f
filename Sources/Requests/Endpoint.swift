package import API
import HTTPTypes
package import Hummingbird
package import TreeModel

package typealias Handler = @Sendable (Request, HTTPContext) async throws -> Response

/// An operation at an address: its request, its responses and its handler. The router and the description of the
/// service (`/v1/openapi.json`) are both created from it.
package struct Endpoint: Sendable {
    package let summary: String
    package let parameters: [Parameter]
    /// The schemas of the body, by content type.
    package let body: [String: Schema]
    package let answers: [AnswerDescription]
    /// The errors of the request, in addition to those of every request.
    package let errors: [ErrorCode]
    /// Whether unknown query fields are accepted, as for files and probes.
    package let ignoresQuery: Bool
    package let run: Handler

    /// The parameters that authenticate a request, in addition to `Authorization`.
    package static let senderParameters: [Parameter] = [
        .query("auth", .text, "a token, as in `Authorization`"),
        .query("access_token", .text, "a token, as in `Authorization`"),
        .query("as", .text(matching: "^[^\\x00-\\x1f\\x7f]{1,128}$"), "for an admin: the user for whom to act"),
    ]

    package init(
        _ summary: String, _ parameters: [Parameter] = [], body: [String: Schema] = [:], answers: [AnswerDescription],
        errors: [ErrorCode] = [], ignoresQuery: Bool = false, run: @escaping Handler
    ) {
        self.summary = summary
        self.parameters = parameters
        self.body = body
        self.answers = answers
        self.errors = errors
        self.ignoresQuery = ignoresQuery
        self.run = run
    }

    /// Returns an operation for admins: the sender is checked before the handler, and the description states it.
    ///
    /// - Parameters:
    ///   - what: The operation as its refusal names it, such as "the list of jobs".
    ///   - isProven: Whether an emulator's admins, who have no proof, are refused too.
    package static func admin(
        for what: String, isProven: Bool = false, _ summary: String, _ parameters: [Parameter] = [],
        body: [String: Schema] = [:], answers: [AnswerDescription], errors: [ErrorCode] = [], run: @escaping Handler
    ) -> Endpoint {
        Endpoint(
            "\(summary) For admins.", parameters, body: body, answers: answers,
            errors: [.badToken, .adminOnly] + errors
        ) { request, context in
            if isProven {
                try context.requireProvenAdmin(for: what)
            } else {
                try context.requireAdmin(for: what)
            }
            return try await run(request, context)
        }
    }

    /// Runs the handler with the fields of the query; a field that is not declared is refused. Reads of a `GET` count
    /// for the sender; files, pages and probes do not wait for earlier reads.
    package func respond(to request: Request, _ context: HTTPContext) async throws -> Response {
        guard [.get, .head].contains(request.method) else { return try await answer(request, context) }
        if !ignoresQuery { try context.checkReads() }
        return try await context.reading { try await answer(request, context) }
    }

    private func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard !ignoresQuery else { return try await run(request, context) }
        let query = (parameters + Self.senderParameters).filter { $0.location == .query }
        var context = context
        context.query = try RequestFields(
            queryOf: request.uri, names: query.map(\.name), lists: Set(query.filter(\.isList).map(\.name)))
        return try await run(request, context)
    }
}

/// A parameter of an address or a header.
package struct Parameter: Sendable {
    package enum Location: String {
        case path
        case query
        case header
    }

    package let name: String
    package let location: Location
    package let schema: Schema
    package let details: String
    /// Whether a query may contain it several times.
    private(set) var isList = false
    package var isRequired = false

    package static func path(_ name: String, _ schema: Schema) -> Parameter {
        Parameter(name: name, location: .path, schema: schema, details: "", isRequired: true)
    }

    package static func query(_ name: String, _ schema: Schema, _ details: String) -> Parameter {
        Parameter(name: name, location: .query, schema: schema, details: details)
    }

    package static func list(_ name: String, _ schema: Schema, _ details: String) -> Parameter {
        Parameter(name: name, location: .query, schema: .list(of: schema), details: details, isList: true)
    }

    package static func header(_ name: String, _ schema: Schema, _ details: String) -> Parameter {
        Parameter(name: name, location: .header, schema: schema, details: details)
    }

    /// The same parameter, required in every request.
    package var required: Parameter {
        var parameter = self
        parameter.isRequired = true
        return parameter
    }
}

/// A response with its status.
package struct AnswerDescription: Sendable {
    package let status: HTTPResponse.Status
    /// The media type and schema of the body; nil for a response without a body.
    package let content: (type: String, schema: Schema)?
    /// Whether the schema describes a single line or event of a stream.
    private(set) var isStream = false
    private(set) var headers: [String] = []

    package static func json<D: Document>(_ type: D.Type, _ status: HTTPResponse.Status = .ok) -> AnswerDescription {
        json(.document(type), status)
    }

    package static func json(_ schema: Schema, _ status: HTTPResponse.Status = .ok) -> AnswerDescription {
        content("application/json", schema, status)
    }

    package static func content(
        _ type: String, _ schema: Schema = .binary, _ status: HTTPResponse.Status = .ok
    ) -> AnswerDescription {
        AnswerDescription(status: status, content: (type, schema))
    }

    package static func empty(_ status: HTTPResponse.Status) -> AnswerDescription {
        AnswerDescription(status: status, content: nil)
    }

    /// Returns a response with a document on each line.
    package static func lines(_ schema: Schema) -> AnswerDescription {
        AnswerDescription(status: .ok, content: ("application/x-ndjson", schema), isStream: true)
    }

    /// Returns a response with server-sent events, each with a document as its data.
    package static func events<D: Document>(_ type: D.Type) -> AnswerDescription { events(.document(type)) }

    /// Returns a response with server-sent events, each with data of this schema.
    package static func events(_ schema: Schema) -> AnswerDescription {
        AnswerDescription(status: .ok, content: ("text/event-stream", schema), isStream: true)
    }

    package func with(headers: String...) -> AnswerDescription {
        var answer = self
        answer.headers = headers
        return answer
    }
}

/// The JSON Schema (2020-12) of a value.
package struct Schema: Sendable {
    package let make: @Sendable (inout Schemas) -> JSONValue

    package init(_ make: @escaping @Sendable (inout Schemas) -> JSONValue) {
        self.make = make
    }

    package init(_ schema: JSONValue) {
        self.init { _ in schema }
    }

    package static func document<D: Document>(_ type: D.Type) -> Schema { Schema { $0.schema(of: type) } }

    package static func any(_ schemas: Schema...) -> Schema {
        Schema { all in ["anyOf": .list(schemas.map { $0.make(&all) })] }
    }

    package static func list(of schema: Schema) -> Schema {
        Schema { all in ["type": "array", "items": schema.make(&all)] }
    }

    package static func object(_ fields: [String: Schema], required: [String] = []) -> Schema {
        Schema { all in
            [
                "type": "object", "additionalProperties": false, "required": .list(required.map(JSONValue.string)),
                "properties": .object(fields.mapValues { $0.make(&all) }),
            ]
        }
    }

    package static let text = Schema(["type": "string"])
    package static let flag = Schema(["type": "boolean"])
    package static let null = Schema(["type": "null"])
    /// An object with any members.
    package static let object = Schema(["type": "object"])
    package static let binary = Schema(["type": "string", "format": "binary"])
    package static let postID = Schema(["type": "string", "pattern": "^[-0-9A-Z_a-z]{20}$"])
    package static let userID = Schema(["type": "string", "pattern": "^[-0-9A-Z_a-z]{1,128}$"])

    package static func text(upTo maxLength: Int) -> Schema {
        Schema(["type": "string", "maxLength": .integer(maxLength)])
    }

    package static func text(matching pattern: String) -> Schema {
        Schema(["type": "string", "pattern": .string(pattern)])
    }

    package static func integer(_ range: ClosedRange<Int>) -> Schema {
        Schema(["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)])
    }

    /// A point in time: milliseconds since 1970, a day, or a time (ISO 8601).
    package static let moment = Schema([
        "anyOf": [
            ["type": "integer", "format": "int64"], ["type": "string", "format": "date"],
            ["type": "string", "format": "date-time"],
        ]
    ])

    package static func one<T: CaseIterable & RawRepresentable>(of type: T.Type) -> Schema where T.RawValue == String {
        let names = T.allCases.map { JSONValue.string($0.rawValue) }
        return Schema(["type": "string", "enum": .list(names)])
    }
}
