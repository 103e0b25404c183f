import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// A client of tus 1.0.0, with the requests of a test.
struct TusClient {
    static let photo = "baseline-420.jpg"

    let client: ServiceClient
    var path = "/v1/uploads?user=maria"
    private let fields: HTTPFields = [.named("tus-resumable"): "1.0.0"]

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ headers: [String: String] = [:], _ body: [UInt8]? = nil
    ) async throws -> Answer {
        var all = fields
        for (name, value) in headers { all[.named(name)] = value }
        return try await client.ask(method, path, headers: all, body: body.map { .bytes($0) } ?? .none)
    }

    func create(_ headers: [String: String], _ body: [UInt8]? = nil) async throws -> Answer {
        try await send(.post, path, headers, body)
    }

    func patch(
        _ path: String, from offset: Int, _ bytes: [UInt8], _ headers: [String: String] = [:]
    ) async throws -> Answer {
        try await send(
            .patch, path,
            ["upload-offset": "\(offset)", "content-type": "application/offset+octet-stream"].merging(headers) { $1 },
            bytes)
    }

    /// Returns the offset reported by the service.
    func offset(_ path: String) async throws -> Int? {
        try await send(.head, path).headers[.named("upload-offset")].flatMap { Int($0) }
    }

    static func metadata(_ fields: [String: String]) -> String {
        fields.map { "\($0) \(Data($1.utf8).base64EncodedString())" }.joined(separator: ",")
    }
}

extension Service {
    /// Waits until this many bytes of an upload are in its file.
    func untilReceived(_ byteCount: Int, at path: String) async throws {
        let file = "\(scratch.path)/Storage/incoming/\(path.dropFirst("/v1/uploads/".count)).partial"
        try await eventually {
            (try? FileManager.default.attributesOfItem(atPath: file))?[.size] as? Int == byteCount
        }
    }
}
