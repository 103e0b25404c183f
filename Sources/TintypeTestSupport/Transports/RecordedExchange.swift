internal import Foundation
internal import TintypeClient
internal import TintypeModel

/// A request and its answer in a file of a recording. Secrets are left out.
struct RecordedExchange: Codable, Sendable {
    /// A body in a form that people can read, if it has one.
    enum Body: Codable, Hashable, Sendable {
        case json(JSONValue)
        case text(String)
        case base64(Data)
    }

    /// The answer; nil if there was none.
    struct Answer: Codable, Sendable {
        var status: Int
        var headers: HeaderFields
        var body: Body?
        /// The chunks of a stream; nil for a whole answer.
        var chunks: [Body]?
    }

    /// The error of a request without a whole answer.
    struct Failure: Codable, Sendable {
        var cause: TransportError.Cause
        var detail: String
    }

    var method: String
    /// The path and the query.
    var target: String
    var headers: HeaderFields
    var body: Body?
    var answer: Answer?
    var failure: Failure?

    /// Creates the record of a request. Of a body in a file, its size alone is kept.
    init(_ request: TransportRequest) {
        let secrets = Secrets(request.url)
        (method, target) = (request.method, secrets.target)
        headers = Secrets.redacted(request.headers)
        switch request.body {
        case .none: body = nil
        case .data(let data): body = secrets.redacted(data, ofRequest: true)
        case .file(_, let offset, let count): body = .text("\(count) bytes of a file from \(offset)")
        }
    }

    mutating func end(_ response: TransportResponse, of request: TransportRequest) {
        answer = Answer(
            status: response.status, headers: Secrets.redacted(response.headers),
            body: Secrets(request.url).redacted(response.body, ofRequest: false))
    }

    mutating func end(_ error: any Error) {
        let error = error as? TransportError ?? TransportError(.interrupted, String(describing: error))
        failure = Failure(cause: error.cause, detail: error.detail)
    }

    /// The key under which a replay finds an answer.
    var key: String { "\(method) \(target)" }
}

extension RecordedExchange.Body {
    /// Creates a body of bytes.
    init?(_ data: Data) {
        guard !data.isEmpty else { return nil }
        if let value = try? JSONDecoder().decode(JSONValue.self, from: data) {
            self = .json(value)
        } else if let text = String(data: data, encoding: .utf8) {
            self = .text(text)
        } else {
            self = .base64(data)
        }
    }

    /// The bytes; those of JSON may be in another form than they were.
    func data() throws -> Data {
        switch self {
        case .json(let value): try JSONEncoder().encode(value)
        case .text(let text): Data(text.utf8)
        case .base64(let data): data
        }
    }
}
