import API
import Client
import Foundation
import HTTPTypes
import NIOCore
import NIOFoundationEssentialsCompat
import Store
import Uploads

/// A client of the running service over the local socket.
struct APIClient: Sendable {
    private let client: ServiceClient
    /// The advice for the case that no service listens; nil for the usual one.
    private let absenceHint: String?

    init(_ options: StorageOptions) throws {
        let configuration = try options.configuration()
        try self.init(
            storage: configuration.value(\.storage), absenceHint: ServiceUnit().hint(using: configuration.file))
    }

    /// Creates a client of the service on a storage folder.
    init(storage: String, absenceHint: String? = nil) {
        client = ServiceClient(.socket(path: StorageFolder.socketPath(in: storage)))
        self.absenceHint = absenceHint
    }

    /// Sends a request and decodes the response, a document.
    ///
    /// - Throws: `Failure` when the service rejects the request or cannot be reached.
    func read<D: Document>(
        _ method: HTTPRequest.Method, _ path: String, query: [String: String?] = [:], headers: HTTPFields = [:],
        body: RequestBody = .none, as type: D.Type = D.self
    ) async throws -> D {
        try D(json: try await send(method, path, query: query, headers: headers, body: body))
    }

    /// Sends a document and decodes the response, another document.
    ///
    /// - Throws: `Failure` when the service rejects the request or cannot be reached.
    func read<D: Document>(
        _ method: HTTPRequest.Method, _ path: String, query: [String: String?] = [:], json body: some Document
    ) async throws -> D {
        try await read(
            method, path, query: query, headers: [.contentType: "application/json"], body: .bytes(body.json()))
    }

    /// Sends a request and reads the whole response.
    ///
    /// - Throws: `Failure` when the service rejects the request or cannot be reached.
    func send(
        _ method: HTTPRequest.Method, _ path: String, query: [String: String?] = [:], headers: HTTPFields = [:],
        body: RequestBody = .none
    ) async throws -> Data {
        try await open(method, path, query: query, headers: headers, body: body) { _, body in
            Data(buffer: try await body.collect(upTo: 64 << 20))
        }
    }

    /// Sends a request, and passes a successful response to `handle`, with its body as a stream.
    ///
    /// - Throws: `Failure` when the service rejects the request or cannot be reached, and the errors of `handle`.
    func open<R: Sendable>(
        _ method: HTTPRequest.Method, _ path: String, query: [String: String?] = [:], headers: HTTPFields = [:],
        body: RequestBody = .none, _ handle: (HTTPResponse, ResponseBody) async throws -> R
    ) async throws -> R {
        try await exchange(method, path + Self.encoded(query), headers: headers, body: body) { response, body in
            do {
                try await Self.requireSuccess(response, body)
            } catch let error as Failure {
                throw CommandHints.translated(error)
            }
            return try await handle(response, body)
        }
    }

    /// Sends a request, and passes any response to `handle`, including an error.
    ///
    /// - Parameter target: The path and the query, percent-encoded.
    /// - Throws: `Failure` when the service cannot be reached, and the errors of `handle`.
    func exchange<R: Sendable>(
        _ method: HTTPRequest.Method, _ target: String, headers: HTTPFields = [:], body: RequestBody = .none,
        _ handle: (HTTPResponse, ResponseBody) async throws -> R
    ) async throws -> R {
        do {
            return try await client.send(method, target, headers: headers, body: body, handle)
        } catch let error as Failure where error.code == .noService {
            throw Failure(
                error.code, error.message, hint: absenceHint ?? error.hint, isTransient: error.isTransient)
        }
    }

    /// Throws the error that an error response describes.
    static func requireSuccess(_ response: HTTPResponse, _ body: ResponseBody) async throws {
        guard response.status.kind != .successful else { return }
        let problem: ByteBuffer
        do {
            problem = try await body.collect(upTo: 1 << 20)
        } catch is NIOTooManyBytesError {
            // The status is enough for a response that is longer than any error of the service.
            problem = ByteBuffer()
        }
        throw Failure(status: response.status.code, body: Data(buffer: problem))
    }

    private static func encoded(_ query: [String: String?]) -> String {
        let items = query.sorted { $0.key < $1.key }.compactMap { name, value in
            value.map { "\(name)=\($0.percentEncoded)" }
        }
        return items.isEmpty ? "" : "?" + items.joined(separator: "&")
    }
}

extension Failure {
    /// Reads a problem document (RFC 9457), or an error of the database's protocol or of the identity endpoints.
    fileprivate init(status: Int, body: Data) {
        struct DatabaseError: Decodable { let error: String }
        struct IdentityAnswer: Decodable {
            struct Content: Decodable { let message: String }
            let error: Content
        }
        let isTransient = status == 503 || status == 507
        if let problem = try? ProblemDocument(json: body) {
            self.init(problem.code, problem.detail, hint: problem.hint, isTransient: isTransient)
        } else if let identity = try? JSONDecoder().decode(IdentityAnswer.self, from: body) {
            self.init(identityMessage: identity.error.message, status: status)
        } else {
            let error = try? JSONDecoder().decode(DatabaseError.self, from: body)
            self.init(.unknown, error?.error ?? "the service responded with status \(status)", isTransient: isTransient)
        }
    }
}
