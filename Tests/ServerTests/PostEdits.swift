import Client
import Foundation
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree
import Uploads

/// The requests of tests that edit posts.
enum PostEdits {
    private static let small = "size-97x61.jpg"
    private static let large = "baseline-420.jpg"

    static func withPeople(
        moderator: Moderator? = nil, _ body: @Sendable (Service) async throws -> Void
    ) async throws {
        try await withService(moderator: moderator) { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "anna", "jan")
            try await body(service)
        }
    }

    /// Publishes two photos, the small one first, and returns the id of the post.
    static func photos(_ service: Service, text: String = "") async throws -> String {
        let form = Form().field("text", text).field("alt", "small").photo(try fixture(small))
            .photo(try fixture(large))
        let answer = try await service.client.ask(
            .post, "/v1/uploads?user=maria", headers: Form.contentType, body: .bytes(form.closed))
        return try #require(answer.json["post_id"].string, "\(answer.text)")
    }

    static func post(_ text: String, by user: String = "maria", _ service: Service) async throws -> String {
        let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return try #require(try await service.client.post(encoded, by: user))
    }

    /// Sends an edit as a user, or as the service's owner for nil.
    static func edit(
        _ id: String, _ json: String, as uid: String? = "maria", admin: Bool = false,
        with fields: [String: String] = [:],
        _ service: Service
    ) async throws -> Answer {
        var headers = try uid.map { try service.headers(of: $0, admin ? ["admin": true] : [:]) } ?? [:]
        headers[.contentType] = "application/json"
        for (name, value) in fields { headers[.named(name)] = value }
        let client = uid == nil ? service.client : service.tcpClient
        return try await client.ask(.patch, "/v1/posts/\(id)", headers: headers, body: .bytes(Array(json.utf8)))
    }

    static func get(_ id: String, _ service: Service) async throws -> Answer {
        try await service.client.get("/v1/posts/\(id)")
    }

    static func etag(_ id: String, _ service: Service) async throws -> String {
        try #require(try await get(id, service).headers[.eTag])
    }

    static func notifications(of uid: String, _ service: Service) async throws -> [JSON] {
        try await service.client.get("/v1/people/\(uid)/notifications").json["notifications"].array
    }

    static func expect(_ answer: Answer, _ status: Int, _ code: String? = nil, _ what: String = "") {
        #expect(answer.status == status && answer.json["code"].string == code, "\(what): \(answer.text)")
    }
}
