package import API
package import HTTPTypes

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
