import Client
import Foundation
import HTTPTypes
import NIOCore
import TestSupport

@testable import Requests
@testable import Server

/// A client of the bucket that sends the requests of Firebase's SDKs, as one of its users.
struct StorageClient: Sendable {
    let service: Service
    /// The header fields of every request.
    var headers: HTTPFields = [:]
    var bucket = "tintype.appspot.com"

    init(_ service: Service, as uid: String? = nil) throws {
        self.service = service
        guard let uid else { return }
        let token = try service.headers(of: uid)[.authorization]?.split(separator: " ").last ?? ""
        headers[.authorization] = "Firebase \(token)"
    }

    var root: String { "/v0/b/\(bucket)/o" }

    func path(_ name: String, _ query: String = "") -> String {
        "\(root)/\(PercentEncoding.encode(name.utf8))\(query.isEmpty ? "" : "?\(query)")"
    }

    func ask(
        _ method: HTTPRequest.Method, _ path: String, _ more: HTTPFields = [:], body: RequestBody = .none
    ) async throws -> TestSupport.Answer {
        var headers = headers
        for field in more { headers[field.name] = field.value }
        return try await service.tcpClient.ask(method, path, headers: headers, body: body)
    }

    /// Uploads an object as the JavaScript SDK does: metadata and bytes in one request.
    func upload(
        _ bytes: [UInt8], as name: String, _ metadata: String = #"{"contentType":"image/jpeg"}"#
    ) async throws -> TestSupport.Answer {
        try await ask(
            .post, "\(root)?name=\(PercentEncoding.encode(name.utf8))",
            [
                .contentType: "multipart/related; boundary=00017", .googUploadProtocol: "multipart",
                .named("X-Firebase-Storage-Version"): "webjs/12.17",
            ], body: .bytes(Self.multipart(metadata, bytes)))
    }

    static func multipart(_ metadata: String, _ bytes: [UInt8], boundary: String = "00017") -> [UInt8] {
        Array("--\(boundary)\r\nContent-Type: application/json; charset=utf-8\r\n\r\n\(metadata)\r\n".utf8)
            + Array("--\(boundary)\r\nContent-Type: image/png\r\n\r\n".utf8) + bytes
            + Array("\r\n--\(boundary)--".utf8)
    }

    func metadata(_ name: String) async throws -> TestSupport.Answer { try await ask(.get, path(name)) }

    func bytes(_ name: String, _ query: String = "") async throws -> TestSupport.Answer {
        try await ask(.get, path(name, "alt=media" + (query.isEmpty ? "" : "&\(query)")))
    }

    func list(_ query: String) async throws -> TestSupport.Answer { try await ask(.get, "\(root)?\(query)") }
}

extension TestSupport.Answer {
    /// The names of a list, folders first.
    var listed: [String] {
        json["prefixes"].array.compactMap(\.string) + json["items"].array.compactMap { $0["name"].string }
    }
}
