import Client
import Files
import Foundation
import HTTPTypes
import NIOCore
import NIOFoundationEssentialsCompat

/// The outcome of uploading one post.
enum UploadOutcome: Sendable {
    /// The service's answer and its meaning: `published`, `duplicate` of an earlier post, or `accepted` when the service
    /// stopped before the post was published.
    case answered(String, Data)
    case refused(ServiceError)
    /// The command was stopped before this post was sent.
    case notSent
}

/// Uploads posts to the service, unless it has their photos already.
struct UploadSender: Sendable {
    let service: APIClient
    let user: String
    let text: String
    let key: String?
    /// Whether photos that the user has posted before are not sent again.
    let skipsDuplicates: Bool

    /// Sends the photos of one post, and waits until it is published.
    func send(_ files: [UploadFile]) async throws -> UploadOutcome {
        do {
            if skipsDuplicates, let known = try await duplicate(of: files) { return .answered("duplicate", known) }
            return try await files.count > 1 ? sendDraft(files) : sendOne(files.first)
        } catch let error as ServiceError {
            return .refused(error.about(files.count == 1 ? files.first : nil))
        } catch let error as FileError {
            return .refused(
                ServiceError(code: error.code.rawValue, message: error.message, hint: error.hint, isTransient: false))
        }
    }

    /// The service's answer about the user's earlier post with the same photos; nil when there is none.
    private func duplicate(of files: [UploadFile]) async throws -> Data? {
        guard !files.isEmpty, !files.contains(where: \.isStandardInput) else { return nil }
        var hashes: [String] = []
        for file in files { hashes.append(try await file.sha256()) }
        let path = "/v1/people/\(APIClient.percentEncoded(user))/posts"
        do {
            let page = try await service.send(.get, path, query: ["sha256": hashes.joined(separator: " ")])
            let posts = (try JSONSerialization.jsonObject(with: page) as? [String: Any])?["posts"] as? [[String: Any]]
            guard let post = posts?.first, let id = post["post_id"] as? String else { return nil }
            return try JSONSerialization.data(withJSONObject: ["post_id": id, "post": post])
        } catch let error as ServiceError where error.code == "not_found" {
            return nil  // Nobody has posted as this user yet.
        }
    }

    private func sendOne(_ file: UploadFile?) async throws -> UploadOutcome {
        try await post(
            "/v1/uploads", ["user": user, "text": text, "name": file?.name, "alt": file?.alt, "duplicates": policy],
            body: try file.map(Self.body) ?? .none)
    }

    private func sendDraft(_ files: [UploadFile]) async throws -> UploadOutcome {
        let draft = try await service.send(
            .post, "/v1/uploads", query: ["user": user, "draft": "true", "duplicates": policy], headers: headers)
        struct Draft: Decodable { let uploadId: String }
        let id = try JSONDecoder.snakeCase.decode(Draft.self, from: draft).uploadId
        for file in files {
            do {
                _ = try await service.send(
                    .post, "/v1/uploads/\(id)/photos", query: ["name": file.name, "alt": file.alt],
                    body: try Self.body(file))
            } catch let error as ServiceError {
                throw error.about(file)
            }
        }
        return try await post("/v1/uploads/\(id)/publish", ["text": text])
    }

    private func post(
        _ path: String, _ query: [String: String?], body: RequestBody = .none
    ) async throws -> UploadOutcome {
        try await service.open(.post, path, query: query, headers: headers, body: body) { response, body in
            let outcome =
                switch response.status {
                case .created: "published"
                case .ok: "duplicate"
                default: "accepted"
                }
            return .answered(outcome, Data(buffer: try await body.collect(upTo: 64 << 20)))
        }
    }

    /// The policy for photos that the user has posted meanwhile; nil for the service's own.
    private var policy: String? { skipsDuplicates ? "link" : nil }

    private var headers: HTTPFields {
        var headers = HTTPFields()
        if let name = HTTPField.Name("Idempotency-Key") { headers[name] = key }
        return headers
    }

    private static func body(_ file: UploadFile) throws(FileError) -> RequestBody {
        let source = try file.source()
        return .stream(byteCount: source.byteCount, source)
    }
}

extension ServiceError {
    fileprivate func about(_ file: UploadFile?) -> ServiceError {
        guard let file, !message.contains(file.path) else { return self }
        return ServiceError(code: code, message: "\(file.path): \(message)", hint: hint, isTransient: isTransient)
    }
}
