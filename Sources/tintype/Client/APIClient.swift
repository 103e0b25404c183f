import Client
import Foundation
import HTTPTypes
import NIOCore
import NIOFoundationEssentialsCompat
import Pipeline

/// A client of the running service, which it reaches over the local socket.
struct APIClient: Sendable {
    private let client: ServiceClient

    init(_ options: StorageOptions) throws {
        let storage = try options.configuration().value(\.storage)
        client = ServiceClient(.socket(path: StorageFolder.socketPath(in: storage)))
    }

    /// Sends a request and reads the whole answer, a JSON document.
    ///
    /// - Throws: `ServiceError` when the service refuses the request or cannot be reached.
    func send(
        _ method: HTTPRequest.Method, _ path: String, query: [String: String?] = [:], headers: HTTPFields = [:],
        body: RequestBody = .none
    ) async throws -> Data {
        try await open(method, path, query: query, headers: headers, body: body) { _, body in
            Data(buffer: try await body.collect(upTo: 64 << 20))
        }
    }

    /// Sends a request and passes on a successful answer, with its body as a stream.
    ///
    /// - Throws: `ServiceError` when the service refuses the request or cannot be reached, and what `handle` throws.
    func open<R: Sendable>(
        _ method: HTTPRequest.Method, _ path: String, query: [String: String?] = [:], headers: HTTPFields = [:],
        body: RequestBody = .none, _ handle: (HTTPResponse, ResponseBody) async throws -> R
    ) async throws -> R {
        do {
            return try await client.send(method, path + Self.encoded(query), headers: headers, body: body) {
                response, body in
                guard response.status.kind == .successful else {
                    throw ServiceError(response.status.code, Data(buffer: try await body.collect(upTo: 1 << 20)))
                }
                return try await handle(response, body)
            }
        } catch let error as ClientError {
            throw ServiceError(
                code: error.code.rawValue, message: error.message, hint: error.hint,
                isTransient: error.code != .permission)
        }
    }

    private static func encoded(_ query: [String: String?]) -> String {
        let items = query.sorted { $0.key < $1.key }.compactMap { name, value in
            value.map { "\(name)=\(percentEncoded($0))" }
        }
        return items.isEmpty ? "" : "?" + items.joined(separator: "&")
    }

    /// The text with everything but the unreserved characters of RFC 3986 §2.3 percent-encoded.
    static func percentEncoded(_ text: String) -> String {
        let unreserved = CharacterSet(charactersIn: "-._~")
            .union(CharacterSet(charactersIn: "a"..."z")).union(CharacterSet(charactersIn: "A"..."Z"))
            .union(CharacterSet(charactersIn: "0"..."9"))
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}

extension JSONDecoder {
    /// A decoder for the service's documents, whose fields are written `like_this`.
    static var snakeCase: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}

/// A refusal by the service, or the reason why it cannot be reached.
struct ServiceError: Error, CustomStringConvertible {
    let code: String
    let message: String
    let hint: String
    /// Whether the same request may succeed later.
    let isTransient: Bool

    init(code: String, message: String, hint: String, isTransient: Bool) {
        self.code = code
        self.message = message
        self.hint = hint
        self.isTransient = isTransient
    }

    /// Reads a problem document (RFC 9457), or an error of the database's protocol.
    init(_ status: Int, _ body: Data) {
        struct Problem: Decodable {
            let code: String?
            let detail: String?
            let hint: String?
            let error: String?
        }
        let problem = try? JSONDecoder().decode(Problem.self, from: body)
        self.init(
            code: problem?.code ?? "http_\(status)",
            message: problem?.detail ?? problem?.error ?? "the service answered \(status)",
            hint: problem?.hint ?? "", isTransient: status == 503 || status == 507)
    }

    var description: String { hint.isEmpty ? message : "\(message) (\(hint))" }
}
