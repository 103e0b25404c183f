import Access
import Client
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree
import TreeModel

extension Service {
    /// Sets the database rules and the storage rules of a preset.
    func set(_ preset: RulesPreset) async throws {
        try await tree.setRules(preset.database)
        let answer = try await client.ask(.put, "/v1/storage-rules", body: .bytes(Array(preset.storage.utf8)))
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Returns the header fields of a request of a user of an anonymous account.
    func anonymousHeaders(of uid: String) throws -> HTTPFields {
        try headers(of: uid, ["firebase": ["sign_in_provider": "anonymous", "identities": .object([:])]])
    }

    /// Returns the header fields of a request: without proof for "", of an anonymous account for "guest".
    func senderHeaders(of uid: String) throws -> HTTPFields {
        switch uid {
        case "": [:]
        case "guest": try anonymousHeaders(of: uid)
        default: try headers(of: uid, ["name": .string(uid)])
        }
    }

    /// Reads an address over TCP as one of these.
    func send(_ path: String, of uid: String) async throws -> Answer { try await send(.get, path, of: uid) }

    /// Sends a request over TCP as one of these, with a JSON body if there is one.
    func send(
        _ method: HTTPRequest.Method, _ path: String, of uid: String, _ body: String? = nil
    ) async throws -> Answer {
        var headers = try senderHeaders(of: uid)
        guard let body else { return try await tcpClient.ask(method, path, headers: headers) }
        headers[.contentType] = "application/json"
        return try await tcpClient.ask(method, path, headers: headers, body: .bytes(Array(body.utf8)))
    }
}
