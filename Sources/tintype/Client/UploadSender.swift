import API
import Client
import Files
import Foundation
import HTTPTypes
import NIOCore
import NIOFoundationEssentialsCompat
import TreeModel

/// The outcome of uploading one post.
enum UploadOutcome: Sendable {
    /// The post, or the user's earlier post with the same photos.
    case published(PublishedDocument, isDuplicate: Bool)
    /// The service stopped before the post was published.
    case accepted(UploadDocument)
    case refused(Failure)
    /// The command was stopped before this post was sent.
    case notSent
}

/// Uploads posts to the service, unless it already has their photos.
struct UploadSender: Sendable {
    let service: APIClient
    let user: String
    let text: String
    let mentions: [JSONValue]
    let key: String?
    /// The audiences of the posts; none for posts for everyone.
    let audiences: [String]
    /// Whether photos that the user has posted before are skipped.
    let skipsDuplicates: Bool

    /// Sends the photos of one post, and waits until it is published.
    func send(_ files: [UploadFile]) async throws -> UploadOutcome {
        do {
            if skipsDuplicates, let known = try await duplicate(of: files) {
                return .published(known, isDuplicate: true)
            }
            return try await files.count > 1 ? sendDraft(files) : sendOne(files.first)
        } catch let error as Failure {
            return .refused(error.about(files.count == 1 ? files.first : nil))
        } catch let error as FileError {
            return .refused(Failure(ErrorCode(named: error.code.rawValue), error.message, hint: error.hint))
        }
    }

    /// Returns the user's earlier post with the same photos; nil when there is none.
    private func duplicate(of files: [UploadFile]) async throws -> PublishedDocument? {
        // Public lists do not show posts for audiences, so the decision is left to the service.
        guard audiences.isEmpty, !files.isEmpty, !files.contains(where: \.isStandardInput) else { return nil }
        var hashes: [String] = []
        for file in files { hashes.append(try await file.sha256()) }
        let path = "/v1/people/\(user.percentEncoded)/posts"
        do {
            let page: PostPageDocument = try await service.read(
                .get, path, query: ["sha256": hashes.joined(separator: " ")])
            guard let post = page.posts.first, let id = post.value["post_id"]?.stringValue else { return nil }
            return PublishedDocument(postID: id, post: post)
        } catch let error as Failure where error.code == .notFound {
            return nil  // There is no post by this user yet.
        }
    }

    private func sendOne(_ file: UploadFile?) async throws -> UploadOutcome {
        try await post(
            "/v1/uploads",
            [
                "user": user, "text": text, "mentions": mentionList, "name": file?.name, "alt": file?.alt,
                "duplicates": policy, "audiences": audienceField,
            ],
            body: try file.map(Self.body) ?? .none)
    }

    private func sendDraft(_ files: [UploadFile]) async throws -> UploadOutcome {
        let draft: UploadDocument = try await service.read(
            .post, "/v1/uploads",
            query: ["user": user, "draft": "true", "duplicates": policy, "audiences": audienceField],
            headers: headers)
        let id = draft.uploadID
        for file in files {
            do {
                _ = try await service.send(
                    .post, "/v1/uploads/\(id)/photos", query: ["name": file.name, "alt": file.alt],
                    body: try Self.body(file))
            } catch let error as Failure {
                throw error.about(file)
            }
        }
        return try await post("/v1/uploads/\(id)/publish", ["text": text, "mentions": mentionList])
    }

    private func post(
        _ path: String, _ query: [String: String?], body: RequestBody = .none
    ) async throws -> UploadOutcome {
        try await service.open(.post, path, query: query, headers: headers, body: body) { response, body in
            let document = Data(buffer: try await body.collect(upTo: 64 << 20))
            guard response.status != .accepted else { return .accepted(try UploadDocument(json: document)) }
            return .published(try PublishedDocument(json: document), isDuplicate: response.status == .ok)
        }
    }

    /// The mentions as the value of a request field; nil for none.
    private var mentionList: String? {
        mentions.isEmpty ? nil : String(decoding: JSONValue.list(mentions).json(), as: UTF8.self)
    }

    private var audienceField: String? { audiences.isEmpty ? nil : audiences.joined(separator: " ") }

    /// The policy for photos that the user posts meanwhile; nil for the service's own.
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

extension Failure {
    fileprivate func about(_ file: UploadFile?) -> Failure {
        guard let file, !message.contains(file.path) else { return self }
        return Failure(code, "\(file.path): \(message)", hint: hint, isTransient: isTransient)
    }
}
