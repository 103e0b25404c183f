import API
import HTTPTypes
import Hummingbird
import TreeModel

typealias Handler = @Sendable (Request, RequestContext) async throws -> Response

/// What may be done with an address: what is asked, what is answered, and who answers. The router and the description of
/// the service (`/v1/openapi.json`) are both made of it.
struct Operation: Sendable {
    let summary: String
    let parameters: [Parameter]
    /// What a body may be, by its content type.
    let body: [String: Schema]
    let answers: [Answer]
    /// What may be wrong with a request, beside what may be wrong with every one.
    let errors: [ErrorCode]
    /// Whether any query is let pass, as files and probes are asked for with words of whoever asks.
    let ignoresQuery: Bool
    let run: Handler

    /// By what every request may say who sends it, beside `Authorization`.
    static let senderParameters: [Parameter] = [
        .query("auth", .text, "a token, as in `Authorization`"),
        .query("access_token", .text, "a token, as in `Authorization`"),
        .query("as", .text(matching: "^[^\\x00-\\x1f\\x7f]{1,128}$"), "for an admin: the user for whom to act"),
    ]

    init(
        _ summary: String, _ parameters: [Parameter] = [], body: [String: Schema] = [:], answers: [Answer],
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

    /// An operation for admins: the sender is checked before the handler, and the description says so.
    ///
    /// - Parameters:
    ///   - what: The operation as its refusal names it, such as "the list of jobs".
    ///   - isProven: Whether the admins of an emulator, who prove nothing, are refused too.
    static func admin(
        for what: String, isProven: Bool = false, _ summary: String, _ parameters: [Parameter] = [],
        body: [String: Schema] = [:], answers: [Answer], errors: [ErrorCode] = [], run: @escaping Handler
    ) -> Operation {
        Operation(
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

    /// Does it, with the fields of the query; a field that is not declared is refused. What is read for a `GET` counts to the
    /// sender; files, pages and probes wait for nothing that was read before.
    func respond(to request: Request, _ context: RequestContext) async throws -> Response {
        guard [.get, .head].contains(request.method) else { return try await answer(request, context) }
        if !ignoresQuery { try context.checkReads() }
        return try await context.reading { try await answer(request, context) }
    }

    private func answer(_ request: Request, _ context: RequestContext) async throws -> Response {
        guard !ignoresQuery else { return try await run(request, context) }
        let query = (parameters + Self.senderParameters).filter { $0.place == .query }
        var context = context
        context.query = try FormFields(
            queryOf: request.uri, names: query.map(\.name), lists: Set(query.filter(\.isList).map(\.name)))
        return try await run(request, context)
    }
}

/// A value that an address or a header has.
struct Parameter: Sendable {
    enum Place: String {
        case path
        case query
        case header
    }

    let name: String
    let place: Place
    let schema: Schema
    let details: String
    /// Whether a query may have it several times.
    private(set) var isList = false
    var isRequired = false

    static func path(_ name: String, _ schema: Schema) -> Parameter {
        Parameter(name: name, place: .path, schema: schema, details: "", isRequired: true)
    }

    static func query(_ name: String, _ schema: Schema, _ details: String) -> Parameter {
        Parameter(name: name, place: .query, schema: schema, details: details)
    }

    static func list(_ name: String, _ schema: Schema, _ details: String) -> Parameter {
        Parameter(name: name, place: .query, schema: .list(of: schema), details: details, isList: true)
    }

    static func header(_ name: String, _ schema: Schema, _ details: String) -> Parameter {
        Parameter(name: name, place: .header, schema: schema, details: details)
    }

    /// The same, which every request has to have.
    var required: Parameter {
        var parameter = self
        parameter.isRequired = true
        return parameter
    }
}

/// What is answered with a status.
struct Answer: Sendable {
    let status: HTTPResponse.Status
    /// Nil for an answer without a body.
    let content: (type: String, schema: Schema)?
    /// Whether the schema is that of one line or event of many.
    private(set) var isStream = false
    private(set) var headers: [String] = []

    static func json<D: Document>(_ type: D.Type, _ status: HTTPResponse.Status = .ok) -> Answer {
        json(.document(type), status)
    }

    static func json(_ schema: Schema, _ status: HTTPResponse.Status = .ok) -> Answer {
        content("application/json", schema, status)
    }

    static func content(_ type: String, _ schema: Schema = .binary, _ status: HTTPResponse.Status = .ok) -> Answer {
        Answer(status: status, content: (type, schema))
    }

    static func empty(_ status: HTTPResponse.Status) -> Answer { Answer(status: status, content: nil) }

    /// One document on each line.
    static func lines(_ schema: Schema) -> Answer {
        Answer(status: .ok, content: ("application/x-ndjson", schema), isStream: true)
    }

    /// Server-sent events, each with a document as its data.
    static func events<D: Document>(_ type: D.Type) -> Answer { events(.document(type)) }

    /// Server-sent events, each with data of this schema.
    static func events(_ schema: Schema) -> Answer {
        Answer(status: .ok, content: ("text/event-stream", schema), isStream: true)
    }

    func with(headers: String...) -> Answer {
        var answer = self
        answer.headers = headers
        return answer
    }
}

/// The JSON Schema (2020-12) of a value.
struct Schema: Sendable {
    let make: @Sendable (inout Schemas) -> JSONValue

    init(_ make: @escaping @Sendable (inout Schemas) -> JSONValue) {
        self.make = make
    }

    init(_ schema: JSONValue) {
        self.init { _ in schema }
    }

    static func document<D: Document>(_ type: D.Type) -> Schema { Schema { $0.schema(of: type) } }

    static func any(_ schemas: Schema...) -> Schema {
        Schema { all in ["anyOf": .list(schemas.map { $0.make(&all) })] }
    }

    static func list(of schema: Schema) -> Schema {
        Schema { all in ["type": "array", "items": schema.make(&all)] }
    }

    static func object(_ fields: [String: Schema], required: [String] = []) -> Schema {
        Schema { all in
            [
                "type": "object", "additionalProperties": false, "required": .list(required.map(JSONValue.string)),
                "properties": .object(fields.mapValues { $0.make(&all) }),
            ]
        }
    }

    static let text = Schema(["type": "string"])
    static let flag = Schema(["type": "boolean"])
    static let null = Schema(["type": "null"])
    /// An object of whatever members.
    static let object = Schema(["type": "object"])
    static let binary = Schema(["type": "string", "format": "binary"])
    static let postID = Schema(["type": "string", "pattern": "^[-0-9A-Z_a-z]{20}$"])
    static let userID = Schema(["type": "string", "pattern": "^[-0-9A-Z_a-z]{1,128}$"])

    static func text(upTo maxLength: Int) -> Schema { Schema(["type": "string", "maxLength": .integer(maxLength)]) }

    static func text(matching pattern: String) -> Schema { Schema(["type": "string", "pattern": .string(pattern)]) }

    static func integer(_ range: ClosedRange<Int>) -> Schema {
        Schema(["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)])
    }

    /// A moment: milliseconds since 1970, a day, or a time (ISO 8601).
    static let moment = Schema([
        "anyOf": [
            ["type": "integer", "format": "int64"], ["type": "string", "format": "date"],
            ["type": "string", "format": "date-time"],
        ]
    ])

    static func one<T: CaseIterable & RawRepresentable>(of type: T.Type) -> Schema where T.RawValue == String {
        let names = T.allCases.map { JSONValue.string($0.rawValue) }
        return Schema(["type": "string", "enum": .list(names)])
    }
}
