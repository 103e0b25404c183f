package import API
import HTTPTypes
package import Hummingbird
import Transport

package typealias Handler = @Sendable (Request, HTTPContext) async throws -> Response

/// An operation at an address: its request, its responses and its handler. The router and the description of the
/// service (`/v1/openapi.json`) are both created from it.
package struct Endpoint: Sendable {
    /// The name and the purpose of an operation, which readers of the description see first.
    package struct Heading: Sendable {
        /// The identifier of the operation, from which generators make the names of functions: a verb first, as in
        /// "listPosts".
        package var name: String
        package let tag: EndpointTag
        /// The purpose: at most 72 characters without a full stop, an imperative first.
        package let summary: String
        /// Whole sentences; empty for none.
        package let details: String
    }

    /// The people who may use an operation, and therefore whether clients send a token.
    package enum Access: Sendable {
        case anybody
        /// The people whom the rules permit; perhaps everybody.
        case byRules
        case person
        case admin

        /// Derives it from the errors of the operation: who sends no token is refused with one of them.
        fileprivate init(refusingWith errors: [ErrorCode]) {
            self =
                if errors.contains(.adminOnly) {
                    .admin
                } else if errors.contains(.notAllowed) {
                    .person
                } else {
                    errors.contains(.permissionDenied) ? .byRules : .anybody
                }
        }
    }

    /// The heading; nil for a page for people, or a file of one, which is not described.
    package let heading: Heading?
    package let access: Access
    package let parameters: [Parameter]
    /// The schemas of the body, by content type.
    package let body: [String: Schema]
    /// Whether a request without a body is refused.
    package let needsBody: Bool
    package let answers: [AnswerDescription]
    /// The errors of the request, in addition to those of every request.
    package let errors: [ErrorCode]
    /// The media type and the schema of errors.
    package let problem: (type: String, schema: Schema)
    /// Whether unknown query fields are accepted, as for files and probes.
    package let ignoresQuery: Bool
    package let run: Handler

    /// The parameters that authenticate a request, in addition to `Authorization`.
    package static let senderParameters: [Parameter] = [
        .query("auth", .text, "a token, as in `Authorization`"),
        .query("access_token", .text, "a token, as in `Authorization`"),
        .query("as", .text(matching: "^[^\\x00-\\x1f\\x7f]{1,128}$"), "for an admin: the user for whom to act"),
    ]

    private static let publicProblem = (type: Problem.contentType, schema: Schema.document(ProblemDocument.self))

    /// Creates an operation.
    ///
    /// - Parameter access: Who may use it; by default as its errors say.
    package init(
        _ name: String, in tag: EndpointTag, _ summary: String, details: String = "", access: Access? = nil,
        _ parameters: [Parameter] = [], body: [String: Schema] = [:], needsBody: Bool = true,
        answers: [AnswerDescription], errors: [ErrorCode] = [], ignoresQuery: Bool = false, run: @escaping Handler
    ) {
        self.access = access ?? Access(refusingWith: errors)
        heading = Heading(name: name, tag: tag, summary: summary, details: details)
        self.parameters = parameters
        self.body = body
        self.needsBody = needsBody
        self.answers = answers
        self.errors = errors
        problem = Self.publicProblem
        self.ignoresQuery = ignoresQuery
        self.run = run
    }

    /// Creates the operation of a page for people, or of a file of one: it accepts any query, and is not described.
    package init(page run: @escaping Handler) {
        heading = nil
        access = .byRules
        parameters = []
        body = [:]
        needsBody = false
        answers = []
        errors = []
        problem = Self.publicProblem
        ignoresQuery = true
        self.run = run
    }

    /// Creates the description of an operation that another application serves: one with errors of its own form.
    package init(
        elsewhere name: String, in tag: EndpointTag, _ summary: String, details: String, _ parameters: [Parameter],
        body: [String: Schema], answers: [AnswerDescription], errors: [ErrorCode], problem: Schema
    ) {
        heading = Heading(name: name, tag: tag, summary: summary, details: details)
        access = .anybody
        self.parameters = parameters
        self.body = body
        needsBody = true
        self.answers = answers
        self.errors = errors
        self.problem = (type: "application/json", schema: problem)
        ignoresQuery = true
        run = { _, _ in Response(status: .notFound) }
    }

    /// Returns an operation for admins: the sender is checked before the handler, and the description states it.
    ///
    /// - Parameters:
    ///   - what: The operation as its refusal names it, such as "the list of jobs".
    ///   - isProven: Whether an emulator's admins, who have no proof, are refused too.
    package static func admin(
        for what: String, isProven: Bool = false, _ name: String, in tag: EndpointTag, _ summary: String,
        details: String = "", _ parameters: [Parameter] = [], body: [String: Schema] = [:], needsBody: Bool = true,
        answers: [AnswerDescription], errors: [ErrorCode] = [], run: @escaping Handler
    ) -> Endpoint {
        Endpoint(
            name, in: tag, summary, details: details.isEmpty ? "For admins." : "For admins. \(details)", parameters,
            body: body, needsBody: needsBody, answers: answers, errors: [.badToken, .adminOnly] + errors
        ) { request, context in
            if isProven {
                try context.requireProvenAdmin(for: what)
            } else {
                try context.requireAdmin(for: what)
            }
            return try await run(request, context)
        }
    }

    /// Returns the same operation under another name, for another method.
    package func named(_ name: String) -> Endpoint {
        Endpoint(self, name: name, parameters, body: body, answers: answers, errors: errors, run: run)
    }

    /// Returns the same operation, for more kinds of requests.
    package func extended(
        _ more: [Parameter], answers: [AnswerDescription], errors: [ErrorCode],
        run: @escaping Handler
    ) -> Endpoint {
        Endpoint(
            self, parameters + more, body: body, answers: self.answers + answers,
            errors: self.errors + errors, run: run)
    }

    private init(
        _ other: Endpoint, name: String? = nil, _ parameters: [Parameter], body: [String: Schema],
        answers: [AnswerDescription], errors: [ErrorCode], run: @escaping Handler
    ) {
        var heading = other.heading
        if let name { heading?.name = name }
        self.heading = heading
        access = other.access
        self.parameters = parameters
        self.body = body
        needsBody = other.needsBody
        self.answers = answers
        self.errors = errors
        problem = other.problem
        ignoresQuery = other.ignoresQuery
        self.run = run
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
